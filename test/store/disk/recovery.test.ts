import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OutcomeUnknown, StorageFailure } from '../../../src/lib/faults.js';
import type { Level } from '../../../src/store/disk/database/level.js';
import type { QuadStore } from '../../../src/store/disk/database/quad-store.js';
import { openQuadStore, PLACES, type Place } from '../../support/stores.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { waitFor } from '../../support/wait-for.js';

const row = (key: string, value?: number) => ({ table: 't', key, value });

describe.each(Object.keys(PLACES))('a store in %s whose disk fails', (kind) => {
  let place: Place;
  let level: Level;
  let store: QuadStore;
  let clock: VirtualClock;
  const logged: string[] = [];
  const log = {
    warn: (_fields: object, message: string) => logged.push(message),
    info: (_fields: object, message: string) => logged.push(message),
  };

  beforeEach(async () => {
    place = await (PLACES[kind] as () => Promise<Place>)();
    level = await place.open();
    clock = new VirtualClock();
    logged.length = 0;
    store = await openQuadStore(level, { clock, log });
    await store.write({ rows: [row('changed', 1), row('removed', 1)], durable: true });
  });
  afterEach(async () => {
    repaired();
    await store.close();
    await place.remove();
  });

  /**
   * Every write fails from now on: before it is done, or after it. The latter is what a failing flush does: the
   * change is in LevelDB's log, but only the next one to open the database sees it.
   */
  async function failing(when: 'before' | 'after'): Promise<void> {
    const seen = new Map(await level.iterator().all());
    Object.assign(level, { getMany: async (keys: string[]) => keys.map((key) => seen.get(key)) });
    const batch = level.batch.bind(level) as () => { write(options?: object): Promise<void> };
    const broken = () => {
      const made = batch();
      const write = made.write.bind(made);
      return Object.assign(made, {
        write: async (options?: object) => {
          if (when === 'after') await write(options);
          throw new Error('IO error: No space left on device');
        },
      });
    };
    Object.assign(level, { batch: broken });
  }
  const repaired = () => {
    for (const name of ['batch', 'getMany']) Reflect.deleteProperty(level, name);
  };
  const change = () =>
    store.write({ rows: [row('changed', 2), row('removed'), row('added', 2)], durable: true });
  const values = () => Promise.all(['changed', 'removed', 'added'].map((key) => store.row('t', key)));

  it.each(['before', 'after'] as const)(
    'has nothing of a change that failed %s it was written, and takes the next one',
    async (when) => {
      await failing(when);
      await expect(change()).rejects.toThrow(StorageFailure);
      await expect(change()).rejects.toThrow('The disk of this node is full');
      expect(store.trouble).toEqual({ since: clock.now(), error: 'IO error: No space left on device' });
      repaired();
      clock.pass(1000);
      await waitFor(() => !store.trouble);
      expect(await values()).toEqual([1, 1, undefined]);
      await change();
      expect(await values()).toEqual([2, undefined, 2]);
      expect(logged).toHaveLength(2);
    },
  );

  it('tries again with growing pauses as long as the disk fails, and can be closed meanwhile', async () => {
    await failing('before');
    await expect(change()).rejects.toThrow(StorageFailure);
    clock.pass(1000);
    // A database that is being opened anew cannot be read for a moment.
    await waitFor(async () => (await values().catch(() => [])).length > 0);
    await expect(change()).rejects.toThrow(StorageFailure);
    expect(store.trouble).toBeDefined();
    await store.close();
    repaired();
    level = await place.open();
    store = await openQuadStore(level, { clock, log });
    expect(await values()).toEqual([1, 1, undefined]);
  });

  it('says that it needs a restart when what was stored before cannot be read either', async () => {
    await failing('before');
    Object.assign(level, { getMany: () => Promise.reject(new Error('IO error: a bad sector')) });
    await expect(change()).rejects.toThrow(OutcomeUnknown);
    expect(store.trouble).toEqual({
      since: clock.now(),
      error:
        'IO error: No space left on device; what is stored cannot be read either (IO error: a bad sector): restart the node',
    });
    expect(logged).toEqual([expect.stringContaining('until the node is restarted')]);
    repaired();
    clock.pass(60_000);
    await expect(change()).rejects.toThrow(/restart it; nothing of the request was stored/);
    await store.close();
    level = await place.open();
    store = await openQuadStore(level, { clock, log });
    expect(await values()).toEqual([1, 1, undefined]);
    await change();
    expect(await values()).toEqual([2, undefined, 2]);
  });

  it('does not write what was prepared before it was opened anew', async () => {
    const prepared = await store.prepare({ rows: [row('added', 3)], durable: true });
    await failing('before');
    await expect(change()).rejects.toThrow(StorageFailure);
    repaired();
    clock.pass(1000);
    await waitFor(() => !store.trouble);
    await expect(prepared.write()).rejects.toThrow(StorageFailure);
    expect(await values()).toEqual([1, 1, undefined]);
  });
});
