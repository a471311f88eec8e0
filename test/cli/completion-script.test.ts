import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { completionScript, SHELLS } from '../../src/cli/completion-script.js';
import { tempDir } from '../support/temp-dir.js';

const VERBS = {
  serve: { meaning: 'run the node', flags: { config: { value: 'file', meaning: "the node's file" } } },
  lint: {
    meaning: 'check: everything [really]',
    flags: { watch: { meaning: 'again' } },
    argument: 'url or file',
  },
  completion: { meaning: 'print this', flags: {}, argument: 'shell', choices: SHELLS },
};
const COMPLETED = {
  program: 'node-x',
  verbs: VERBS,
  common: { help: { short: 'h', meaning: 'help' } },
  fallback: 'serve',
};
const script = (shell: string) => completionScript(shell, COMPLETED);

describe('the completion for bash', () => {
  /** What a real bash offers for a line; its last word is the one being typed. */
  async function offered(...words: string[]): Promise<string[]> {
    const folder = await tempDir();
    await writeFile(join(folder, 'card one.ttl'), '');
    const typed = words.map((word) => `'${word}'`).join(' ');
    const code = `${script('bash')}\nCOMP_WORDS=(node-x ${typed}); COMP_CWORD=${words.length}; _node_x; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', code], { cwd: folder, encoding: 'utf8' });
    expect(stderr).toBe('');
    return stdout.split('\n').filter(Boolean);
  }

  it.each([
    [[''], ['serve', 'lint', 'completion']],
    [['l'], ['lint']],
    [['--c'], ['--config']],
    [
      ['lint', '--'],
      ['--watch', '--help'],
    ],
    [['lint', 'c'], ['card one.ttl']],
    [['serve', '--config', 'c'], ['card one.ttl']],
    [['--config', 'card.ttl', '--h'], ['--help']],
    [['completion', 'z'], ['zsh']],
    [['nonsense', ''], []],
  ])('offers for %j what fits', async (words, expected) => {
    expect(await offered(...words)).toEqual(expected);
  });
});

/** Shells that not every machine has: where they are missing, what their scripts say is still compared. */
describe.each([
  ['zsh', '-n'],
  ['fish', '--no-execute'],
])('the completion for %s', (shell, readOnly) => {
  it('names every verb and flag with its meaning', () => {
    for (const [verb, { meaning, flags }] of Object.entries(VERBS)) {
      expect(script(shell)).toContain(verb);
      expect(script(shell).replaceAll('\\', '')).toContain(meaning);
      for (const flag of Object.keys(flags))
        expect(script(shell)).toMatch(new RegExp(`-l ${flag}|--${flag}`));
    }
  });

  const isThere = spawnSync(shell, ['--version']).status === 0;
  it.skipIf(!isThere)('is a program that this shell can read', async () => {
    const file = join(await tempDir(), 'completion');
    await writeFile(file, script(shell));
    const { stderr, status } = spawnSync(shell, [readOnly, file], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  });
});

const hasFish = spawnSync('fish', ['--version']).status === 0;
it.skipIf(!hasFish)('fish offers flags with their meaning', () => {
  const code = `${script('fish')}\ncomplete -C'node-x lint --w'`;
  expect(spawnSync('fish', ['-N', '-c', code], { encoding: 'utf8' }).stdout).toBe('--watch\tagain\n');
});

it('there is none for other shells', () => {
  expect(() => script('toString')).toThrow('there are completions for bash, zsh, fish, not for toString');
});
