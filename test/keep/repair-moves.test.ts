import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { repairDirectory } from '../../src/keep/level/repair.js';
import { systemClock } from '../../src/lib/clock.js';
import { systemPace } from '../../src/lib/pace.js';
import { tempDir } from '../support/temp-dir.js';
import { rowsOf, write } from './contract.js';
import { openedIn, SILENT } from './level-engine.js';
import { uniqueTexts } from './unique-texts.js';

/** Fails the second of the renames that put a repaired copy in its place. */
const disk = vi.hoisted(() => ({ failsFor: '' }));
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  return {
    ...real,
    rename: (from: string, to: string) =>
      from === disk.failsFor ? Promise.reject(new Error('EIO')) : real.rename(from, to),
  };
});

it('a repair whose second move fails keeps what it has saved, and no empty database is begun', async () => {
  const directory = join(await tempDir(), 'data');
  const place = await openedIn(directory);
  const row = { table: 'letter', key: 'a', value: '1' };
  await write(await place.keep('registry'), { rows: [row] });
  await place.close();
  await writeFile(join(directory, 'ACKNOWLEDGED'), 'registry 9\n');
  disk.failsFor = `${directory}.repaired`;
  const options = { clock: systemClock, pace: systemPace, unique: uniqueTexts(), log: SILENT };
  const mend = async () => ({ damaged: [], rebuilt: [], lost: [] });
  await expect(repairDirectory(directory, { ...options, apply: true, suffix: 'then', mend })).rejects.toThrow(
    'EIO',
  );
  expect((await readdir(dirname(directory))).sort()).toEqual(['data.damaged-then', 'data.repaired']);
  await expect(openedIn(directory)).rejects.toThrow(/rename that to data$/);
  await rm(directory, { recursive: true });
  disk.failsFor = '';
  await rename(`${directory}.repaired`, directory);
  const again = await openedIn(directory);
  expect(await rowsOf(await again.keep('registry'))).toEqual([row]);
  await again.close();
  // What was saved is lost, and what was damaged is still there.
  await rm(directory, { recursive: true });
  await expect(openedIn(directory)).rejects.toThrow(/in data\.damaged-then beside it.*repair/);
  expect(await readdir(directory)).toEqual([]);
});
