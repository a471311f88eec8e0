import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Level, openLevel } from '../../../src/store/disk/database/level.js';
import { seal, unseal } from '../../../src/store/disk/database/seal.js';
import { SCHEMA_VERSION } from '../../../src/store/disk/database/tables.js';
import { component, openRegistry, type TestRegistry } from '../../support/registry.js';
import { openQuadStore } from '../../support/stores.js';
import { tempDir } from '../../support/temp-dir.js';

let directory: string;
let level: Level;
let registry: TestRegistry;

async function open(): Promise<void> {
  level = await openLevel(directory);
  registry = await openRegistry(level);
}
const labels = () => registry.labels();

beforeEach(async () => {
  directory = await tempDir();
  await open();
  await registry.upsertLocal(['a', 'b', 'c'].map((name) => component(name)));
});
afterEach(() => registry.close());

/** Takes the checksums away, as releases before version 3 wrote it: of all values, or of each other one. */
async function strip(each = 1): Promise<void> {
  await registry.close();
  const raw = await openLevel(directory);
  let at = 0;
  for (const [key, value] of await raw.iterator().all()) {
    at += 1;
    if (key !== '!meta!schema' && at % each === 0) await raw.put(key, value.slice(7));
  }
  await raw.del('!meta!sealed');
  await raw.put('!meta!schema', '2');
  await raw.close();
}

it.each([1, 2])(
  'data without checksums gets them (every value, or every %i. after a crash)',
  async (each) => {
    await strip(each);
    await open();
    expect(await labels()).toEqual(['a', 'b', 'c']);
    const values = await level.iterator().all();
    expect(values.filter(([key, value]) => key !== '!meta!schema' && !value.startsWith('~'))).toEqual([]);
  },
);

it('the version on disk is raised, so that an older release refuses it', async () => {
  await strip();
  const raw = await openLevel(directory);
  const store = await openQuadStore(raw, { schema: SCHEMA_VERSION });
  expect(await raw.get('!meta!schema')).toBe(String(SCHEMA_VERSION));
  await store.close();
  await open();
});

it('afterwards a value without a checksum is damaged', async () => {
  const [first] = await level.iterator({ gte: '!statement!', lt: '!statement"', limit: 1 }).all();
  const [key = '', value = ''] = first ?? [];
  await level.put(key, value.slice(7));
  await registry.close();
  const raw = await openLevel(directory);
  await expect(openRegistry(raw)).rejects.toThrow(/table "statement" does not match its checksum/);
  await raw.put(key, value);
  await raw.close();
  await open();
});

it('a pin of release 0.1.0, which may be a promise of anybody, counts for nobody and is forgotten', async () => {
  const one = component('a', { version: '1.0.0' });
  await registry.upsertLocal([one]);
  const key = `!pin!${one.uri} 1.0.0`;
  const pin = { integrity: 'sha384-never', changed: 'sha384-now', changedAt: 2, since: 1, checked: 2 };
  await level.put(key, seal(key, JSON.stringify({ uri: one.uri, version: '1.0.0', ...pin })));
  await registry.close();
  await open();
  expect((await registry.everything()).map((each) => each.pin)).toEqual([undefined, undefined, undefined]);
  expect(await registry.pins.counts()).toEqual({ all: 0, changed: 0 });
  expect(await level.iterator({ gte: '!pin!', lt: '!pin"' }).all()).toEqual([]);
});

/** Takes away what version 4 has added. */
async function withoutPositions(): Promise<void> {
  await registry.close();
  const raw = await openLevel(directory);
  const resealed = (key: string, text: string) => raw.put(key, seal(key, text));
  for (const [key, value] of await raw.iterator().all()) {
    const text = unseal(key, value) ?? '';
    if (key.startsWith('!statement!')) await resealed(key, text.replace(/^p[0-9a-z]{18}[cu]/, ''));
    if (key === '!meta!statements') await resealed(key, text.replace('"[2,', '"[1,'));
    if (/^!(hash|state|tombstone)!|^!meta!feed$/.test(key)) await raw.del(key);
  }
  await raw.put('!meta!schema', '3');
  await raw.close();
}

it('data without positions gets them, and its history begins there', async () => {
  const { revision } = await registry.state();
  await withoutPositions();
  await open();
  expect(await labels()).toEqual(['a', 'b', 'c']);
  const state = await registry.state();
  expect(state.revision).toEqual(revision);
  const all = await registry.catalog.changes({ limit: 10 });
  expect('changes' in all && all.changes.map(({ position }) => position)).toEqual([1, 2, 3]);
  expect(state.feed).toMatchObject({ floor: 0, tombstones: 0, sources: [{ count: 3 }] });
  await registry.close();
  await open();
  expect((await registry.state()).feed).toEqual(state.feed);
});
