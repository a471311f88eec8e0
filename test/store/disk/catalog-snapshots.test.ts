import { readdir } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { CatalogSnapshots } from '../../../src/store/disk/snapshot/catalog-snapshots.js';
import type { CatalogCopy } from '../../../src/store/disk/snapshot/write-snapshot.js';
import { tempDir } from '../../support/temp-dir.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { waitFor } from '../../support/wait-for.js';

const STATEMENTS = 50_000;

const copyAt = (position: number) =>
  ({
    ...{ epoch: 'e', position, digest: 'd', served: 0, shadowed: [] },
    blocks: Array.from({ length: 40 }, () => ({ entries: [], bytes: Buffer.from(',{}') })),
    lists: { shapes: [], tag: [], author: [] },
  }) as unknown as CatalogCopy;

it('a snapshot that is being written is given up, too, when a stop has taken too long', async () => {
  const directory = await tempDir();
  const clock = new VirtualClock();
  const warned: string[] = [];
  let goOn: () => void = () => undefined;
  const snapshots = new CatalogSnapshots({
    ...{ directory, clock, least: 1, writtenAs: '[]', last: undefined, copy: () => copyAt(STATEMENTS) },
    now: () => ({ position: STATEMENTS, statements: STATEMENTS }),
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

it('another one is written once nothing has changed for a minute, if a hundredth has changed', async () => {
  const directory = await tempDir();
  const clock = new VirtualClock();
  let position = STATEMENTS;
  const snapshots = new CatalogSnapshots({
    ...{ directory, clock, least: 1, writtenAs: '[]', last: STATEMENTS, copy: () => copyAt(position) },
    now: () => ({ position, statements: STATEMENTS }),
    pace: () => () => undefined,
    log: { warn: (_fields, message) => expect.unreachable(message) },
  });
  const change = (number: number) => {
    position += number;
    snapshots.changed();
  };
  const pass = async (ms: number) => {
    clock.pass(ms);
    await new Promise(setImmediate);
  };
  change(900);
  await pass(120_000);
  change(900);
  await pass(40_000);
  change(1);
  await pass(40_000);
  expect(await readdir(directory)).toEqual([]);
  await pass(60_000);
  await waitFor(async () => (await readdir(directory)).includes('CATALOG'));
  await snapshots.end();
});
