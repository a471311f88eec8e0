import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Metadata } from '../../../src/component/metadata.js';
import type { Source } from '../../../src/component/source.js';
import { precedenceOf } from '../../../src/core/precedence.js';
import { systemClock } from '../../../src/lib/clock.js';
import { systemPace } from '../../../src/lib/pace.js';
import { DamagedData } from '../../../src/store/disk/database/damage.js';
import { type Level, openLevel } from '../../../src/store/disk/database/level.js';
import { repairDatabase } from '../../../src/store/disk/repair/repair.js';
import { reconcileRegistry } from '../../../src/store/disk/repair/repair-registry.js';
import { UnusableData } from '../../../src/store/unusable-data.js';
import { copyOf, flipBit } from '../../support/damage.js';
import { component, openRegistry, type TestRegistry, VOCABULARY } from '../../support/registry.js';
import { seededRandom } from '../../support/seeded-random.js';
import { tempDir } from '../../support/temp-dir.js';
import { rounds, seed } from '../../support/torture.js';

const ROUNDS = rounds({ short: 1, full: 15 });
const POD: Source = { kind: 'pod', url: 'https://pod.example/' };
const options = { precedence: precedenceOf({ pods: [POD.url], peers: [] }) };

let base: string;
let whole: string;
let data: string;
/** What is served, and what is stored beside it for the case that the winner goes. */
let expected: readonly Metadata[];
let stored: ReadonlySet<string>;

async function open(): Promise<TestRegistry> {
  const level = await openLevel(data);
  opened.push(level);
  return openRegistry(level, options).catch(async (error) => {
    await level.close();
    throw error;
  });
}
const opened: Level[] = [];
afterEach(async () => {
  for (const level of opened.splice(0)) await level.close();
  for (const end of ['.damaged-then', '.repaired']) await rm(data + end, { recursive: true, force: true });
});
const listed = (registry: TestRegistry) => registry.list();
const repair = (apply: boolean) => {
  const reconcile = reconcileRegistry({
    ...{ vocabulary: VOCABULARY, clock: systemClock, pace: systemPace },
  });
  return repairDatabase(data, { apply, reconcile, suffix: 'then', pace: systemPace });
};

/** A database with most of its data in tables, and the latest changes in the log. */
beforeAll(async () => {
  base = await tempDir();
  whole = join(base, 'whole');
  data = join(base, 'registry');
  const numbered = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) =>
      component(`c${from + i}`, { tag: [`tag-${i}`], author: ['Ann'] }),
    );
  const level = await openLevel(whole);
  const registry = await openRegistry(level, options);
  await registry.upsertLocal(numbered(0, 300));
  const documents = [{ url: POD.url, components: numbered(200, 300), record: { etag: '"1"' } }];
  await registry.commit({ source: POD, documents, record: { failures: 0, memo: { kept: 1 } } });
  await (level as unknown as { compactRange(from: string, to: string): Promise<void> }).compactRange('', '~');
  for (let i = 0; i < 20; i++) await registry.upsertLocal(numbered(500 + i, 1));
  expected = await listed(registry);
  stored = bytes((await registry.everything()).map(({ metadata }) => metadata));
  await registry.close();
});

const bytes = (list: readonly Metadata[]) => new Set(list.map((one) => JSON.stringify(one)));

describe(`one flipped bit (seed ${seed})`, () => {
  it.each(['tables', 'log', 'manifest'] as const)(
    'in %s is refused or does not matter, and can be repaired',
    { timeout: 300_000 + ROUNDS * 5_000 },
    async (place) => {
      const kinds = { tables: /\.(ldb|sst)$/, log: /\.log$/, manifest: /^MANIFEST/ };
      const random = seededRandom(seed);
      let refused = 0;
      for (let round = 0; round < ROUNDS; round++) {
        await copyOf(whole, data);
        const flipped = await flipBit(data, kinds[place], random);
        const outcome = await open().catch((error: Error) => error);
        if (outcome instanceof Error) {
          refused += 1;
          expect(outcome, flipped).toBeInstanceOf(UnusableData);
          expect(outcome.message, flipped).toMatch(/repair --config/);
        } else {
          expect(await listed(outcome), flipped).toEqual(expected);
          await outcome.close();
        }
        await copyOf(whole, data);
        await flipBit(data, kinds[place], seededAt(round));
        await expectRepaired();
      }
      if (place !== 'manifest') expect(refused).toBe(ROUNDS);
    },
  );

  const seededAt = (round: number) => seededRandom(seed + round + 1);
});

/** Whatever the damage: after a repair every description that is served is one that was stored. */
async function expectRepaired(): Promise<void> {
  const dry = await repair(false);
  const applied = await repair(true);
  expect(applied?.findings).toEqual(dry?.findings);
  const registry = await open();
  const served = [...bytes(await listed(registry))];
  expect(served.filter((one) => !stored.has(one))).toEqual([]);
  if (applied?.findings.lost.length === 0)
    expect(served, JSON.stringify(applied.findings)).toHaveLength(expected.length);
  await registry.close();
  await rm(`${data}.damaged-then`, { recursive: true, force: true });
}

it('keys out of order, which end the process when LevelDB compacts them, are refused and can be repaired', async () => {
  await copyOf(whole, data);
  let changed = 0;
  for (const name of (await readdir(data)).filter((one) => one.endsWith('.ldb'))) {
    const bytes = await readFile(join(data, name));
    const key = bytes.indexOf('!statement!');
    if (key < 0) continue;
    // `~` comes after all other letters.
    bytes.write('~', key + 2);
    await writeFile(join(data, name), bytes);
    changed += 1;
  }
  expect(changed).toBeGreaterThan(0);
  await expect(open()).rejects.toThrow(/checksum of the block at byte.*repair --config/s);
  await expectRepaired();
});

describe('files that are missing', () => {
  it('CURRENT: the start is refused before anything is deleted, and a repair brings all of it back', async () => {
    await copyOf(whole, data);
    await rm(join(data, 'CURRENT'));
    const before = await readdir(data);
    const refused = open();
    await expect(refused).rejects.toThrow(DamagedData);
    await expect(refused).rejects.toThrow(/CURRENT is missing.*repair --config/s);
    expect(await readdir(data)).toEqual(before);
    const dry = await repair(false);
    expect(dry?.findings.damaged).toEqual([expect.stringContaining('CURRENT')]);
    expect(await readdir(data)).toEqual(expect.arrayContaining(before));
    expect(await readdir(data)).not.toContain('CURRENT');
    await repair(true);
    const registry = await open();
    expect(await listed(registry)).toEqual(expected);
    await registry.close();
  });

  it('the log: acknowledged changes are gone with it, and the start says so', async () => {
    await copyOf(whole, data);
    for (const name of await readdir(data)) if (name.endsWith('.log')) await rm(join(data, name));
    await expect(open()).rejects.toThrow(/log of the latest changes/);
  });

  it('an empty directory is a new one', async () => {
    await rm(data, { recursive: true, force: true });
    const registry = await open();
    expect(await listed(registry)).toEqual([]);
    await registry.close();
  });
});

describe('a repair', () => {
  it('finds nothing in a good database, and changes nothing', async () => {
    await copyOf(whole, data);
    expect((await repair(true))?.findings).toEqual({ damaged: [], rebuilt: [], lost: [] });
    expect((await readdir(base)).sort()).toEqual(expect.arrayContaining(['registry', 'whole']));
    expect((await readdir(base)).filter((name) => name.startsWith('registry.'))).toEqual([]);
  });

  it('makes a row anew from its quads; a description that has lost a quad is named, and goes', async () => {
    await copyOf(whole, data);
    const level = await openLevel(data);
    const [row] = await level.keys({ gte: '!statement!', lt: '!statement"', limit: 1 }).all();
    const [quad] = await level.keys({ gte: 'GSPO', limit: 1, reverse: false }).all();
    await level.put(row as string, '~000000{}');
    await level.del(quad as string);
    await level.close();
    // The pod's description of it comes before the one that was posted.
    const { uri } = component('c200');
    await expect(open()).rejects.toThrow(/table "statement" does not match its checksum/);
    expect((await repair(true))?.findings).toMatchObject({
      rebuilt: ['the rows of 1 components, from their quads'],
      lost: [
        expect.stringContaining(`the description of ${uri} in the graph`),
        '1 of 620 descriptions of components',
        expect.anything(),
        expect.stringContaining('has to be posted again'),
      ],
    });
    const registry = await open();
    const others = (list: readonly Metadata[]) => list.filter((one) => one.uri !== uri);
    expect(others(await listed(registry))).toEqual(others(expected));
    expect(await registry.get(uri)).toMatchObject({ tag: ['tag-200'] });
    // What may be missing is asked for again.
    expect((await registry.source(POD))?.documents.get(POD.url)?.etag).toBeUndefined();
    expect((await registry.source(POD))?.record.memo).toBeUndefined();
    await registry.close();
  });

  it('is refused while the node runs', async () => {
    await copyOf(whole, data);
    const level = await openLevel(data);
    await expect(repair(true)).rejects.toThrow(/in use/);
    await level.close();
  });

  it('that was interrupted between its two renames is noticed', async () => {
    await copyOf(whole, `${data}.repaired`);
    await rm(data, { recursive: true, force: true });
    await expect(open()).rejects.toThrow(/repair was interrupted/);
  });
});

it('fewer rows than were recorded are refused', async () => {
  await copyOf(whole, data);
  const level = await openLevel(data);
  const [row] = await level.keys({ gte: '!statement!', lt: '!statement"', limit: 1 }).all();
  await level.del(row as string);
  await level.close();
  await expect(open()).rejects.toThrow(/there are 619 descriptions of components, and 620 have been stored/);
});

describe('a log that ends early', () => {
  /** The log without its last bytes. */
  async function cutLog(bytesOf: (log: Buffer) => number): Promise<void> {
    await copyOf(whole, data);
    const [name = ''] = (await readdir(data)).filter((one) => one.endsWith('.log'));
    const log = await readFile(join(data, name));
    await writeFile(join(data, name), log.subarray(0, log.length - bytesOf(log)));
  }
  /** Bytes of the last record: one change, with a head of seven bytes. */
  const lastRecord = (log: Buffer) => {
    let at = 0;
    for (let next = 0; next < log.length; next += 7 + log.readUInt16LE(next + 4)) at = next;
    return log.length - at;
  };

  it('is none where a crash has cut off a change that was not acknowledged yet', async () => {
    await cutLog(() => 5);
    // As it was before the change.
    await rm(join(data, 'ACKNOWLEDGED'));
    const registry = await open();
    expect(await listed(registry)).toEqual(expected.filter(({ label }) => label !== 'c519'));
    await registry.close();
  });

  it.each([
    ['between two changes', lastRecord, 1],
    ['in the middle of one', () => 5, 1],
    ['before all changes', (log: Buffer) => log.length, 20],
  ] as const)(
    'is refused when changes are missing that were acknowledged: %s',
    async (_where, bytesOf, missing) => {
      await cutLog(bytesOf);
      const refused = open();
      await expect(refused).rejects.toThrow(DamagedData);
      await expect(refused).rejects.toThrow(
        new RegExp(`the last ${missing} changes that were acknowledged are missing.*repair --config`, 's'),
      );
      expect((await repair(false))?.findings.damaged).toEqual([expect.stringContaining('are missing')]);
      await expectRepaired();
    },
  );
});
