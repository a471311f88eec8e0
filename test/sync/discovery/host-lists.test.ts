import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { createGuardedFetch } from '../../../src/lib/fetch/guarded-fetch.js';
import { HostListReader } from '../../../src/sync/discovery/host-lists.js';
import { cleanup } from '../../support/cleanup.js';
import { FakeServer } from '../../support/fake-server.js';
import { tempDir } from '../../support/temp-dir.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { waitFor } from '../../support/wait-for.js';

let clock: VirtualClock;
let changes: number;
let warnings: number;
let file: string;
beforeEach(async () => {
  clock = new VirtualClock();
  [changes, warnings] = [0, 0];
  file = join(await tempDir(), 'deny.txt');
});

async function reading(places: { allowList?: string; denyList?: string }): Promise<HostListReader> {
  const fetch = createGuardedFetch({ userAgent: 'test', allowPrivate: true, maxBytes: 1e6, timeoutMs: 5000 });
  const log = { debug: () => undefined, info: () => undefined, warn: () => void warnings++ };
  const lists = new HostListReader({ allowList: '', denyList: '', ...places }, { fetch, clock, log });
  cleanup(async () => {
    await lists.stop();
    await fetch.close();
  });
  await lists.start(() => changes++);
  return lists;
}

it('a file has a pattern a line, and a note behind it; it is read again when it changes', async () => {
  await writeFile(file, '# hosts that we do not read\n*.spam.example  # sells addresses\n\n10.0.0.*\r\n');
  const lists = await reading({ denyList: file });
  expect(lists.current).toEqual({
    deny: [{ pattern: '*.spam.example', note: 'sells addresses' }, { pattern: '10.0.0.*' }],
    unread: [],
  });
  await writeFile(file, 'other.example');
  clock.pass(5000);
  await waitFor(() => changes === 1);
  expect(lists.current.deny).toEqual([{ pattern: 'other.example' }]);
});

it('one file may be both lists', async () => {
  await writeFile(file, 'a.example');
  const lists = await reading({ denyList: file, allowList: file });
  expect(lists.current).toEqual({
    deny: [{ pattern: 'a.example' }],
    allow: [{ pattern: 'a.example' }],
    unread: [],
  });
});

it('until it could be read, nothing is learned; afterwards what it said last stays', async () => {
  const lists = await reading({ denyList: file, allowList: file });
  expect(lists.current).toEqual({
    deny: [{ pattern: '*', note: expect.stringContaining('could not be read') }],
    allow: [],
    unread: ['deny', 'allow'],
  });
  await writeFile(file, 'a.example');
  clock.pass(5000);
  await waitFor(() => changes === 2);
  for (const broken of ['a.example\nhttps://b.example/', 'a b', 'x'.repeat(1_000_001)]) {
    const before = warnings;
    await writeFile(file, broken);
    clock.pass(5000);
    await waitFor(() => warnings === before + 2);
  }
  await rm(file);
  const before = warnings;
  clock.pass(5000);
  await waitFor(() => warnings === before + 2);
  expect(lists.current).toEqual({
    deny: [{ pattern: 'a.example' }],
    allow: [{ pattern: 'a.example' }],
    unread: [],
  });
});

it('a URL is asked with what is known of it', async () => {
  const server = await new FakeServer().open();
  cleanup(() => server.close());
  server.on('/deny', [
    { body: 'a.example', etag: '"1"' },
    { body: 'a.example', etag: '"1"' },
    { body: 'b.example', etag: '"2"' },
    { status: 500 },
  ]);
  const lists = await reading({ denyList: `${server.origin}/deny` });
  expect(lists.current.deny).toEqual([{ pattern: 'a.example' }]);
  clock.pass(300_000);
  await waitFor(() => server.requests.length === 2);
  expect(server.requests[1]?.headers['if-none-match']).toBe('"1"');
  await waitFor(() => clock.sleeping === 1);
  clock.pass(300_000);
  await waitFor(() => changes === 1);
  expect(lists.current.deny).toEqual([{ pattern: 'b.example' }]);
  await waitFor(() => clock.sleeping === 1);
  clock.pass(300_000);
  await waitFor(() => warnings === 1);
  expect(lists.current.deny).toEqual([{ pattern: 'b.example' }]);
});
