import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Level, openLevel } from '../../../src/store/disk/database/level.js';
import { seal } from '../../../src/store/disk/database/seal.js';
import { component, openRegistry, type TestRegistry } from '../../support/registry.js';
import { tempDir } from '../../support/temp-dir.js';

let directory: string;
let level: Level;
let registry: TestRegistry;

async function open(): Promise<void> {
  level = await openLevel(directory);
  registry = await openRegistry(level);
}

beforeEach(async () => {
  directory = await tempDir();
  await open();
  await registry.upsertLocal(['a', 'b', 'c'].map((name) => component(name)));
});
afterEach(() => registry.close());

it('a value without a checksum is damaged', async () => {
  const [first] = await level.iterator({ gte: '!statement!', lt: '!statement"', limit: 1 }).all();
  const [key = '', value = ''] = first ?? [];
  await level.put(key, value.slice(7));
  await registry.close();
  const raw = await openLevel(directory);
  await expect(openRegistry(raw)).rejects.toThrow(/table "statement" does not match its checksum/);
  await raw.open();
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
