import { readdir } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { CatalogSnapshots } from '../../../src/store/disk/snapshot/catalog-snapshots.js';
import type { CatalogCopy } from '../../../src/store/disk/snapshot/write-snapshot.js';
import { tempDir } from '../../support/temp-dir.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { waitFor } from '../../support/wait-for.js';

it('a snapshot that is being written is given up, too, when a stop has taken too long', async () => {
  const directory = await tempDir();
  const clock = new VirtualClock();
  const warned: string[] = [];
  let goOn: () => void = () => undefined;
  const copy = {
    ...{ epoch: 'e', position: 50_000, digest: 'd', served: 0, shadowed: [] },
    ...{
      blocks: Array.from({ length: 40 }, () => ({ entries: [], bytes: Buffer.from(',{}') })),
      lists: { shapes: [], tag: [], author: [] },
    },
  } as unknown as CatalogCopy;
  const snapshots = new CatalogSnapshots({
    ...{ directory, clock, least: 1, writtenAs: '[]', last: undefined, copy: () => copy },
    now: () => ({ position: 50_000, statements: 50_000 }),
    pace: () => () => new Promise((resolve) => (goOn = resolve)),
    log: { warn: (_fields, message) => void warned.push(message) },
  });
  await waitFor(async () => (await readdir(directory)).includes('CATALOG.new'));
  const ended = snapshots.end();
  clock.pass(4000);
  const going = setInterval(() => goOn(), 1);
  await ended;
  clearInterval(going);
  expect(warned).toEqual([expect.stringContaining('could not be written')]);
  expect(await readdir(directory)).toEqual([]);
});
