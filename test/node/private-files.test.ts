import { chmod, mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makePrivate } from '../../src/node/given.js';
import { tempDir } from '../support/temp-dir.js';

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

it('takes the rights of others on a directory and on the named things in it, and says so once', async () => {
  const directory = join(await tempDir(), 'data');
  await mkdir(join(directory, 'registry'), { recursive: true });
  await writeFile(join(directory, 'key.json'), '{}');
  await writeFile(join(directory, 'else.txt'), '');
  await chmod(directory, 0o755);
  await chmod(join(directory, 'registry'), 0o750);
  await chmod(join(directory, 'key.json'), 0o644);
  await chmod(join(directory, 'else.txt'), 0o644);
  const logged: string[] = [];
  const log = { warn: () => logged.push('warn') };
  const names = ['registry', 'connection', 'key.json'];
  await makePrivate(directory, names, log);
  const modes = await Promise.all(
    ['', 'registry', 'key.json', 'else.txt'].map((name) => modeOf(join(directory, name))),
  );
  expect(modes).toEqual(['700', '700', '600', '644']);
  expect(logged).toHaveLength(3);
  await makePrivate(directory, names, log);
  expect(logged).toHaveLength(3);
});
