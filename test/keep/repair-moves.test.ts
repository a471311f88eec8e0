import { cp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempDir } from '../support/temp-dir.js';
import { rowsOf, write } from './contract.js';
import { openedIn } from './level-engine.js';

it('a repair that ended between its two moves is noticed, and no empty database is begun', async () => {
  const directory = join(await tempDir(), 'data');
  const place = await openedIn(directory);
  const row = { table: 'letter', key: 'a', value: '1' };
  await write(await place.keep('registry'), { rows: [row] });
  await place.close();
  await cp(directory, `${directory}.repaired`, { recursive: true });
  await rename(directory, `${directory}.damaged-then`);
  await expect(openedIn(directory)).rejects.toThrow(/rename that to data$/);
  await rm(directory, { recursive: true });
  await rename(`${directory}.repaired`, directory);
  const again = await openedIn(directory);
  expect(await rowsOf(await again.keep('registry'))).toEqual([row]);
  await again.close();
  // What was saved is lost, and what was damaged is still there.
  await rm(directory, { recursive: true });
  await expect(openedIn(directory)).rejects.toThrow(/in data\.damaged-then beside it.*repair/);
  expect(await readdir(directory)).toEqual([]);
});
