import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readTortureOptions } from '../../scripts/torture/command-line.js';
import type { Outcome } from '../../scripts/torture/run-scenario.js';
import { SCENARIOS } from '../../scripts/torture/scenarios.js';
import { attackTable, scenarioTable, tortureSummary, worstTable } from '../../scripts/torture/table.js';

const read = (...args: string[]) => readTortureOptions(args, () => 0.5);

describe('the command line of npm run torture', () => {
  it('runs everything in full, with a seed of its own, unless it is told otherwise', () => {
    expect(read()).toEqual({ scenarios: SCENARIOS, rounds: undefined, seed: 2 ** 30 });
  });

  it('takes rounds, a seed and names of scenarios', () => {
    const options = read('--rounds', '7', '--seed', '0', '--only', 'hostile', '--only', 'crash');
    expect(options).toMatchObject({
      rounds: 7,
      seed: 0,
      scenarios: [{ name: 'crash' }, { name: 'hostile' }],
    });
  });

  it.each([
    [['--rounds', '0'], '--rounds must be a whole number'],
    [['--rounds', 'many'], '--rounds must be a whole number'],
    [['--seed', '1.5'], '--seed must be a whole number'],
    [['--only', 'crush'], 'no scenario is called "crush"; there are crash, '],
    [['--round', '3'], '--round'],
    [['crash'], 'crash'],
  ])('says what is wrong with %j', (args, fault) => {
    expect(read(...args)).toEqual({ fault: expect.stringContaining(fault) });
  });

  it('explains itself, and every scenario', () => {
    const { help } = read('--help') as { help: string };
    for (const word of ['--rounds', '--seed', '--only', ...SCENARIOS.map(({ name }) => name)])
      expect(help).toContain(word);
  });
});

describe('the scenarios', () => {
  it.each(SCENARIOS.map(({ name, file }) => [name, file]))(
    '%s is a test with rounds, with parts for torture alone, or an attack that is tried several times',
    (_, file) => {
      expect(existsSync(file)).toBe(true);
      expect(readFileSync(file, 'utf8')).toMatch(/rounds\(\{ short:|AttackedNode|\binTorture\b/);
    },
  );

  it('have names of their own', () => {
    expect(new Set(SCENARIOS.map(({ name }) => name)).size).toBe(SCENARIOS.length);
  });
});

const outcome = (more: Partial<Outcome>): Outcome => ({
  ...{ scenario: 'crash', ok: true, seconds: 12.34, passed: 1, failed: 0, skipped: 0, rows: [], output: '' },
  ...more,
});

describe('what it prints', () => {
  const outcomes = [
    outcome({ rows: [{ attack: 'slow bodies', longestWaitMs: 7 }] }),
    outcome({ scenario: 'hostile', ok: false, failed: 2, rows: [{ attack: 'bombs', threads: 11 }] }),
  ];

  it('a line per attack, whatever figures each of them has', () => {
    expect(attackTable(outcomes).split('\n')).toEqual([
      '| scenario | attack      | longestWaitMs | threads |',
      '| -------- | ----------- | ------------- | ------- |',
      '| crash    | slow bodies | 7             |         |',
      '| hostile  | bombs       |               | 11      |',
      '',
    ]);
    expect(attackTable([outcome({})])).toBe('');
  });

  it('a line per scenario, and one that counts them', () => {
    expect(scenarioTable(outcomes)).toContain('| hostile  | FAILED | 1            | 2      | 12.3    |');
    expect(tortureSummary(outcomes, { seed: 3, rounds: undefined })).toBe(
      '1 scenarios passed, 1 failed (seed 3, full rounds, 25 s)',
    );
  });
});

describe('the table of the worst', () => {
  it('has a line for each scenario with attacks: the best round of each attack, and the worst attack', () => {
    const row = (attack: string, waits: string, idle: number, mb: number, busy: number) => ({
      ...{ attack, 'longest wait (ms)': waits, 'idle wait (ms)': idle },
      ...{ 'memory over idle (MB)': mb, 'node busy (ms)': busy },
    });
    const rows = [
      row('floods', '90 12 30', 2.4, 40, 8),
      row('bombs', '20 21 500', 3.6, 7, 9),
      { attack: 'after all' },
    ];
    const lines = worstTable([outcome({ scenario: 'requests', rows }), outcome({})])
      .trim()
      .split('\n');
    expect(lines).toHaveLength(3);
    expect(lines[2]?.split('|').map((cell) => cell.trim())).toEqual([
      '',
      'requests',
      '2',
      '20 (2 to 4): bombs',
      '40 MB: floods',
      '9 ms',
      '',
    ]);
  });
});
