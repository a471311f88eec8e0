import { describe, expect, it } from 'vitest';
import type { Metadata } from '../../../src/component/metadata.js';
import { systemClock } from '../../../src/lib/clock.js';
import { StorageFailure, StoreUnavailable } from '../../../src/lib/faults.js';
import { systemPace } from '../../../src/lib/pace.js';
import type { Page } from '../../../src/registry/page.js';
import { openLevel } from '../../../src/store/disk/database/level.js';
import { diskStoreOn } from '../../../src/store/disk/disk-store.js';
import { BlockFile } from '../../../src/store/disk/listing/block-file.js';
import { Block } from '../../../src/store/disk/listing/entry.js';
import { breakListing } from '../../support/listing-file.js';
import { component, registryOptions, TestRegistry } from '../../support/registry.js';
import { seededRandom } from '../../support/seeded-random.js';
import { tempDir } from '../../support/temp-dir.js';
import { seed } from '../../support/torture.js';

const options = { clock: systemClock, log: { warn: () => undefined } };

describe('blocks in a file', () => {
  const block = (bytes: number, fill: number) => new Block(Buffer.alloc(bytes, fill), []);

  it(`are read as they were by whoever holds them, and the file stays bounded (seed ${seed})`, async () => {
    const file = BlockFile.open(await tempDir(), options);
    const random = seededRandom(seed);
    const shown = new Map<Block, number>();
    const held = new Map<Block, number>();
    let fill = 0;
    const fresh = () => {
      fill = (fill + 1) % 256;
      const one = block(30_000 + Math.floor(random() * 40_000), fill);
      file.store(one);
      return [one, fill] as const;
    };
    file.begin();
    for (let i = 0; i < 200; i++) shown.set(...fresh());
    file.settle([]);
    const live = file.bytes;
    for (let change = 0; change < 400; change++) {
      file.begin();
      const gone = [...shown].filter(() => random() < 0.01);
      for (const _ of gone) {
        const one = fresh();
        // Some changes come to nothing.
        if (change % 5 > 0) shown.set(...one);
      }
      if (change % 5 === 0) continue;
      for (const [one, said] of gone) {
        shown.delete(one);
        if (held.size < 50) held.set(one, said);
      }
      file.settle(gone.map(([one]) => one));
    }
    for (const [one, said] of [...shown, ...held])
      expect(one.bytes.equals(Buffer.alloc(one.length, said))).toBe(true);
    expect(file.bytes).toBeLessThan(live * 1.5 + 20_000_000);
    file.close();
  });
});

describe('a listing on disk', () => {
  const many = (label: string): Metadata[] =>
    Array.from({ length: 100 }, (_, i) =>
      component(`c${1000 + i}`, { label, description: 'x'.repeat(1000) }),
    );

  async function opened() {
    const directory = await tempDir();
    const store = await diskStoreOn(await openLevel(directory), {
      ...{ clock: systemClock, pace: systemPace },
      listing: 'disk',
    });
    const registry = new TestRegistry(await store.load(registryOptions()));
    return { directory, store, registry };
  }
  const textOf = ({ json }: Page) => Buffer.concat([...(json?.pieces() ?? [])]).toString();

  it('is what a reader has asked for, whatever is changed meanwhile', async () => {
    const { registry } = await opened();
    await registry.upsertLocal(many('before'));
    const page = await registry.catalog.page({});
    const found = await registry.catalog.page({ q: 'before' });
    for (let i = 0; i < 6; i++) await registry.upsertLocal(many(`after ${i}`));
    for (const { json } of [page, found]) {
      const objects = JSON.parse(Buffer.concat([...(json?.pieces() ?? [])]).toString()) as Metadata[];
      expect(objects).toHaveLength(100);
    }
    expect(JSON.parse(textOf(page))).toMatchObject(Array.from({ length: 100 }, () => ({ label: 'before' })));
    await registry.close();
  });

  it('that cannot be written refuses a change, and takes it when it can be written again', async () => {
    const { directory, store, registry } = await opened();
    await registry.upsertLocal([component('a')]);
    // What is read is in memory from then on.
    expect(await registry.labels()).toEqual(['a']);
    const repair = breakListing(directory);
    await expect(registry.upsertLocal([component('b')])).rejects.toThrow(StorageFailure);
    await expect(registry.upsertLocal([component('b')])).rejects.toThrow('The disk of this node is full');
    expect(store.trouble).toMatchObject({ error: expect.stringContaining('cannot be written') });
    repair();
    expect(await registry.labels()).toEqual(['a']);
    await registry.upsertLocal([component('b')]);
    expect(await registry.labels()).toEqual(['a', 'b']);
    expect(store.trouble).toBeUndefined();
    await registry.close();
  });

  it('whose bytes are others is not served, and nothing is changed by what it says', async () => {
    const { directory, store, registry } = await opened();
    await registry.upsertLocal(many('right'));
    const { revision } = await registry.state();
    const page = await registry.catalog.page({});
    const repair = breakListing(directory);
    expect(() => textOf(page)).toThrow(StoreUnavailable);
    expect(store.trouble).toMatchObject({
      isUnreadable: true,
      error: expect.stringContaining('a restart makes it anew'),
    });
    await expect(registry.upsertLocal(many('other'))).rejects.toThrow();
    expect((await registry.state()).revision).toEqual(revision);
    repair();
    expect(JSON.parse(textOf(page))).toHaveLength(100);
    expect(store.trouble).toBeUndefined();
    await registry.close();
  });
});
