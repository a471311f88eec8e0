import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Quad } from '@rdfjs/types';
import { DataFactory } from 'n3';
import { beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/lib/clock.js';
import { withoutPause } from '../../../src/lib/pace.js';
import { DamagedData } from '../../../src/store/disk/database/damage.js';
import { openLevel } from '../../../src/store/disk/database/level.js';
import { openDiskRecords } from '../../../src/store/disk/record-store.js';
import { repairDatabase } from '../../../src/store/disk/repair/repair.js';
import { reconcileRecords } from '../../../src/store/disk/repair/repair-records.js';
import type { RecordLayout, RecordStore } from '../../../src/store/record-store.js';
import { tempDir } from '../../support/temp-dir.js';

const { literal, namedNode, quad } = DataFactory;

const LAYOUT: RecordLayout = {
  schema: 2,
  kept: ['letter'],
  cached: 'document',
  losses: { latest: 'the latest letters', cache: 'cached documents' },
};
const given = { clock: systemClock, pace: withoutPause };
const GRAPH = namedNode('urn:graph');
const QUAD = quad(namedNode('urn:s'), namedNode('urn:p'), literal('cached'), GRAPH) as Quad;

let directory: string;

const open = () =>
  openDiskRecords(directory, {
    layout: LAYOUT,
    ...given,
    log: { warn: () => undefined, info: () => undefined },
  });
const repair = async () => {
  const reconcile = reconcileRecords(LAYOUT, given);
  return repairDatabase(directory, { apply: true, reconcile, suffix: 'then', pace: withoutPause });
};

/** Changes the value under the first key that begins so, as a failing disk would. */
async function damage(prefix: string): Promise<void> {
  const level = await openLevel(directory);
  const [[key, value] = ['', '']] = await level.iterator({ gte: prefix, limit: 1 }).all();
  expect(key.startsWith(prefix)).toBe(true);
  await level.put(key, `${value} `);
  await level.close();
}

/** What is there after the repair. */
async function left() {
  const store = await open();
  const keys = async (table: string) => {
    const found: string[] = [];
    for await (const [key] of store.rows(table)) found.push(key);
    return found;
  };
  const found = { letters: await keys('letter'), documents: await keys('document'), quads: 0 };
  for await (const quads of store.quads(GRAPH)) found.quads += quads.length;
  await store.close();
  return found;
}

async function readAll(store: RecordStore): Promise<void> {
  for (const table of ['letter', 'document']) for await (const _row of store.rows(table));
}

beforeEach(async () => {
  directory = `${await tempDir()}/records`;
  const store = await open();
  const prepared = await store.prepare({ add: [QUAD] });
  const keys = ['urn:a!b', 'urn:c'];
  await prepared.write([
    ...keys.map((key) => ({ table: 'letter', key, value: { key } })),
    { table: 'document', key: 'urn:d', value: {} },
  ]);
  await store.close();
});

describe('the repair of records', () => {
  it('names the record that is lost, and leaves the others and the cache', async () => {
    await damage('!letter!');
    const store = await open();
    await expect(readAll(store)).rejects.toThrow(DamagedData);
    await store.close();
    expect((await repair())?.findings.lost).toEqual(['the letter urn:a!b']);
    expect(await left()).toEqual({ letters: ['urn:c'], documents: ['urn:d'], quads: 1 });
  });

  it.each([
    ['a row', '!document!'],
    ['a quad', 'GSPO'],
  ])('drops the whole cache when %s of it is damaged, and no record', async (_, prefix) => {
    await damage(prefix);
    expect((await repair())?.findings.lost).toEqual(['cached documents']);
    expect(await left()).toEqual({ letters: ['urn:a!b', 'urn:c'], documents: [], quads: 0 });
  });

  it('has nothing to repair where nothing is, and says so when it cannot look', async () => {
    directory = join(directory, 'nothing');
    expect(await repair()).toBeUndefined();
    await writeFile(directory, 'a file');
    await expect(repair()).rejects.toThrow(/nothing cannot be read: ENOTDIR/);
  });

  it('finds nothing in good data', async () => {
    expect(await repair()).toEqual({ findings: { damaged: [], rebuilt: [], lost: [] } });
    expect(await left()).toEqual({ letters: ['urn:a!b', 'urn:c'], documents: ['urn:d'], quads: 1 });
  });
});
