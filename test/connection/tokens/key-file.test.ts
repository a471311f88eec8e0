import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadKeys, UnusableKey } from '../../../src/connection/tokens/key-file.js';
import { makeToken } from '../../../src/connection/tokens/make-token.js';
import { systemClock } from '../../../src/lib/clock.js';
import { ALICE, startService } from '../../acceptance/adapters/connection-app.js';
import { connect } from '../../support/connection-requests.js';
import { tempDir } from '../../support/temp-dir.js';

const FILE = 'connection-key.json';

describe('the key file', () => {
  test('is made once, for its owner only, however many ask at once', async () => {
    const dataDir = join(await tempDir(), 'not', 'yet');
    const keys = await Promise.all(Array.from({ length: 20 }, () => loadKeys(dataDir)));
    for (const one of keys) expect(one).toEqual(keys[0]);
    expect(keys[0]?.token).not.toEqual(keys[0]?.invite);
    expect(await readdir(dataDir)).toEqual([FILE]);
    expect((await stat(join(dataDir, FILE))).mode & 0o777).toBe(0o600);
  });

  test('is another one in each directory', async () => {
    expect(await loadKeys(await tempDir())).not.toEqual(await loadKeys(await tempDir()));
  });

  test.each(['', '{', '{"version":2,"secret":"x"}', '{"version":1,"secret":"short"}'])(
    'that holds %j is refused without quoting it',
    async (text) => {
      const dataDir = await tempDir();
      await writeFile(join(dataDir, FILE), text);
      await expect(loadKeys(dataDir)).rejects.toThrow(UnusableKey);
      await expect(loadKeys(dataDir)).rejects.toThrow('restore it from a backup');
      expect(await readFile(join(dataDir, FILE), 'utf8')).toBe(text);
    },
  );
});

describe('the token verb', () => {
  test('makes tokens for a running service and before the first start', async () => {
    const dataDir = await tempDir();
    const early = await makeToken({ holder: ALICE }, { dataDir }, systemClock);
    const node = await startService({ dataDir });
    const clock = { ...systemClock, now: () => node.time.now };
    await connect(node, ALICE);
    const late = await makeToken({ holder: encodeURIComponent(ALICE), expires: '90s' }, { dataDir }, clock);
    node.time.now = systemClock.now();
    expect((await node.send('/connection/', { token: early })).json).toHaveLength(1);
    node.time.now = Date.UTC(2026, 10, 20, 12) + 89_000;
    expect((await node.send('/connection/', { token: late })).json).toHaveLength(1);
    node.time.now += 2_000;
    expect((await node.send('/connection/', { token: late })).status).toBe(401);
  });

  test.each([
    [{}, '--holder'],
    [{ holder: 'alice' }, '--holder'],
    [{ holder: ALICE, expires: '30' }, '--expires'],
    [{ holder: ALICE, expires: '0d' }, '--expires'],
    [{ holder: ALICE, expires: '9999d' }, '--expires'],
    [{ holder: ALICE, expires: '-1d' }, '--expires'],
  ])('refuses %j and makes no key for it', async (flags, named) => {
    const dataDir = await tempDir();
    await expect(makeToken(flags, { dataDir }, systemClock)).rejects.toThrow(named);
    expect(await readdir(dataDir)).toEqual([]);
  });
});
