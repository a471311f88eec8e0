import { readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { type Audit, openAuditFile } from '../../src/lib/audit.js';
import { tempDir } from '../support/temp-dir.js';

let path: string;
let lines: string[];
let now: number;
beforeEach(async () => {
  path = join(await tempDir(), 'audit.jsonl');
  [lines, now] = [[], Date.UTC(2026, 10, 22)];
});
const open = (): Promise<Audit> =>
  openAuditFile(path, {
    clock: { now: () => now++ },
    log: {
      info: (fields) => lines.push(JSON.stringify(fields)),
      warn: (_, message) => lines.push(message),
    },
  });
const whats = (audit: Audit) => audit.latest().map(({ what }) => what);

it('who did what is one line of the log, and a line of a file that nobody else can read', async () => {
  const audit = await open();
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
  const audit = await open();
  await Promise.all(Array.from({ length: 250 }, (_, i) => audit.record({ who: 'operator', what: `${i}` })));
  expect(whats(audit)).toHaveLength(100);
  expect(whats(audit)[0]).toBe('249');
  expect(whats(await open())).toEqual(whats(audit));
  await truncate(path, (await stat(path)).size - 5);
  const after = await open();
  expect(whats(after)[0]).toBe('248');
  await after.record({ who: 'operator', what: 'again' });
  expect(whats(await open())[0]).toBe('again');
});

it('a file that is full is kept beside a new one', async () => {
  await writeFile(path, `${'x'.repeat(5_000_001)}\n`);
  const audit = await open();
  await audit.record({ who: 'operator', what: 'new' });
  expect((await stat(`${path}.1`)).size).toBe(5_000_002);
  expect(whats(await open())).toEqual(['new']);
});

it('a trail that cannot be written keeps nothing from being done', async () => {
  path = join(path, 'no', 'such', 'folder');
  const audit = await open();
  await audit.record({ who: 'operator', what: 'posted' });
  expect(lines.at(-1)).toContain('cannot be written');
  expect(whats(audit)).toEqual(['posted']);
});
