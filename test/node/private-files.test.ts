import { chmod, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makePrivate } from '../../src/node/given.js';
import { tempDir } from '../support/temp-dir.js';

it('takes the rights of others on a data directory, and says so once', async () => {
  const directory = join(await tempDir(), 'data');
  await mkdir(directory);
  await chmod(directory, 0o755);
  const logged: string[] = [];
  const log = { warn: () => logged.push('warn') };
  for (let start = 0; start < 2; start++) {
    await makePrivate(directory, log);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    expect(logged).toHaveLength(1);
  }
});
