import { readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { type Audit, auditFile } from '../../src/lib/audit.js';
import { tempDir } from '../support/temp-dir.js';

let path: string;
let lines: string[];
let now: number;
beforeEach(async () => {
  path = join(await tempDir(), 'audit.jsonl');
  [lines, now] = [[], Date.UTC(2026, 10, 22)];
});
const open = (more: { isShared?: boolean } = {}): Audit =>
  auditFile(path, {
    ...more,
    clock: { now: () => now++ },
    log: {
      info: (fields) => lines.push(JSON.stringify(fields)),
      warn: (_, message) => lines.push(message),
    },
  });
const whats = async (audit: Audit) => (await audit.latest()).map(({ what }) => what);

it('who did what is one line of the log, and a line of a file that nobody else can read', async () => {
  const audit = open();
  await audit.record({
    who: 'operator',
    what: 'posted 9 components',
    subjects: Array(9).fill('https://c.example/'),
  });
  expect(lines).toHaveLength(1);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({
    at: '2026-11-22T00:00:00.000Z',
    ...{ who: 'operator', what: 'posted 9 components' },
    subjects: Array(5).fill('https://c.example/'),
  });
});

it('the last hundred are known, also after a restart and a crash in the middle of a line', async () => {
  const audit = open();
  await Promise.all(Array.from({ length: 250 }, (_, i) => audit.record({ who: 'operator', what: `${i}` })));
  expect(await whats(audit)).toHaveLength(100);
  expect((await whats(audit))[0]).toBe('249');
  expect(await whats(open())).toEqual(await whats(audit));
  await truncate(path, (await stat(path)).size - 5);
  const after = open();
  expect((await whats(after))[0]).toBe('248');
  await after.record({ who: 'operator', what: 'again' });
  expect((await whats(open()))[0]).toBe('again');
});

it('a file that is full is kept beside a new one', async () => {
  await writeFile(path, `${'x'.repeat(5_000_001)}\n`);
  const audit = open();
  await audit.record({ who: 'operator', what: 'new' });
  expect((await stat(`${path}.1`)).size).toBe(5_000_002);
  expect(await whats(open())).toEqual(['new']);
});

it('a trail that cannot be written keeps nothing from being done', async () => {
  path = join(path, 'no', 'such', 'folder');
  const audit = open();
  await audit.record({ who: 'operator', what: 'posted' });
  expect(lines.at(-1)).toContain('cannot be written');
  expect(await whats(audit)).toEqual(['posted']);
});

it('several processes may write to it: nothing is lost, and all of them see all of it', async () => {
  const [node, command] = [open(), open({ isShared: true })];
  const record = (audit: Audit, what: string) => audit.record({ who: 'operator', what });
  await Promise.all(
    Array.from({ length: 40 }, (_, i) => [record(node, `node ${i}`), record(command, `command ${i}`)]).flat(),
  );
  const seen = await whats(node);
  expect(seen).toHaveLength(80);
  expect(new Set(seen).size).toBe(80);
  expect(await whats(command)).toEqual(seen);
});

it('only the node begins a full file anew; what was in the one before is still known', async () => {
  const first = JSON.stringify({ at: '2026-11-21T00:00:00.000Z', who: 'operator', what: 'before' });
  await writeFile(path, `${'x'.repeat(5_000_001)}\n${first}`);
  await open({ isShared: true }).record({ who: 'command line (ann)', what: 'made a token' });
  await expect(stat(`${path}.1`)).rejects.toThrow('ENOENT');
  const audit = open();
  await audit.record({ who: 'operator', what: 'new' });
  expect(await whats(audit)).toEqual(['new', 'made a token', 'before']);
  expect(await readFile(path, 'utf8')).not.toContain('made a token');
});
