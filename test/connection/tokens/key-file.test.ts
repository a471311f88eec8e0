import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadKeys } from '../../../src/connection/tokens/key-file.js';
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

  test.each(['', '{', '{"version":2,"secret":"x"}', '{"version":1,"secret":"short"}'])(
    'that holds %j is refused without quoting it',
    async (text) => {
      const dataDir = await tempDir();
      await writeFile(join(dataDir, FILE), text);
      await expect(loadKeys(dataDir)).rejects.toThrow('restore it from a backup');
      expect(await readFile(join(dataDir, FILE), 'utf8')).toBe(text);
    },
  );
});
