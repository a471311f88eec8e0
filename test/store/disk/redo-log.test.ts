import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Source } from '../../../src/component/source.js';
import { createVocabulary } from '../../../src/component/vocabulary.js';
import { precedenceOf } from '../../../src/core/precedence.js';
import { systemClock } from '../../../src/lib/clock.js';
import { StorageFailure } from '../../../src/lib/faults.js';
import type { Level } from '../../../src/store/disk/database/level.js';
import { component, openRegistry, type TestRegistry } from '../../support/registry.js';
import { openQuadStore, PLACES, type Place } from '../../support/stores.js';
import { inTorture } from '../../support/torture.js';
import { waitFor } from '../../support/wait-for.js';

const POD: Source = { kind: 'pod', url: 'https://pod.example/' };
const precedence = precedenceOf({ pods: [POD.url], peers: [] });
/** One more than what is changed in one batch. */
const COUNT = 1001;
const release = (label: string) => Array.from({ length: COUNT }, (_, i) => component(`c${i}`, { label }));

describe.each(Object.keys(PLACES))('changes too large for one batch in %s', (kind) => {
  let place: Place;
  let level: Level;
  let registry: TestRegistry;

  beforeEach(async () => {
    place = await (PLACES[kind] as () => Promise<Place>)();
    await open();
  });
  afterEach(async () => {
    await registry.close();
    await place.remove();
  });

  async function open(more: Parameters<typeof openRegistry>[1] = {}): Promise<void> {
    level = await place.open();
    registry = await openRegistry(level, { precedence, ...more });
  }
  const say = (label: string) =>
    registry.commit({
      source: POD,
      documents: [{ url: POD.url, components: release(label), record: { etag: label } }],
      record: { failures: 0 },
    });
  const labels = async () => new Set(await registry.labels());

  /** The disk takes so many more batches, then none until the process is started anew. */
  function breakAfter(batches: number): void {
    let left = batches;
    failWrites(() => {
      left -= 1;
      return left < 0;
    });
  }

  /** From now on, writes for which this is true fail. */
  function failWrites(fails: (options: { sync?: boolean }) => boolean): void {
    const batch = level.batch.bind(level) as () => { write(options: object): Promise<void> };
    Object.assign(level, {
      batch: () => {
        const made = batch();
        const write = made.write.bind(made);
        return Object.assign(made, {
          write: async (options: object) => {
            if (fails(options)) throw new Error('the power is gone');
            await write(options);
          },
        });
      },
    });
  }

  /** Closes the registry and looks for what the redo log has left on disk. */
  async function rowsLeft(): Promise<string[]> {
    await registry.close();
    const store = await openQuadStore(await place.open());
    const left: string[] = [];
    for (const table of ['intent', 'decision']) {
      for await (const [key] of store.rows(table)) left.push(`${table} ${key}`);
    }
    await store.close();
    return left;
  }

  async function restart(more: Parameters<typeof openRegistry>[1] = {}): Promise<void> {
    await registry.close();
    // The database in memory outlives its closing, and with it what was put over its methods.
    Reflect.deleteProperty(level, 'batch');
    await open(more);
  }

  it('are there after a restart, quads and all', async () => {
    expect(await say('one')).toMatchObject({ added: COUNT, changed: 0, removed: 0 });
    expect(await say('two')).toMatchObject({ added: 0, changed: COUNT, removed: 0 });
    await restart();
    expect([await registry.size(), await labels()]).toEqual([COUNT, new Set(['two'])]);
    // Another base URL: rows are made from the quads.
    await restart({ baseUrl: 'https://elsewhere.example' });
    expect([await registry.size(), await labels()]).toEqual([COUNT, new Set(['two'])]);
  });

  // Such a change is 14 batches. What differs is whether it was begun, decided, carried out in part or to the end.
  const moments = inTorture
    ? Array.from({ length: 16 }, (_, i) => i)
    : [0, 1, kind === 'memory' ? 6 : 7, 13, 15];
  it.each(moments)('are all old or all new when %i batches were written before the end', async (batches) => {
    await say('old');
    breakAfter(batches);
    const done = await say('new').then(
      () => true,
      () => false,
    );
    expect(await labels()).toEqual(new Set([done ? 'new' : 'old']));
    await restart();
    expect([await registry.size(), await labels()]).toEqual([COUNT, new Set([done ? 'new' : 'old'])]);
    expect((await registry.source(POD))?.documents.get(POD.url)?.etag).toBe(done ? 'new' : 'old');
    await restart({ vocabulary: createVocabulary('https://other.example/voc#') });
    expect([await registry.size(), await labels()]).toEqual([COUNT, new Set([done ? 'new' : 'old'])]);
  });

  it('leave neither notes nor a batch behind when something goes wrong before they are decided', async () => {
    await registry.close();
    let isBroken = false;
    const now = () => {
      if (isBroken) throw new Error('no time');
      return Date.now();
    };
    await open({ clock: { ...systemClock, now } });
    await say('old');
    const batches = new Set<object>();
    const batch = level.batch.bind(level) as () => {
      write(options: object): Promise<void>;
      close(): Promise<void>;
    };
    Object.assign(level, {
      batch: () => {
        const made = batch();
        const [write, close] = [made.write.bind(made), made.close.bind(made)];
        batches.add(made);
        return Object.assign(made, {
          write: (options: object) => write(options).then(() => void batches.delete(made)),
          close: () => close().then(() => void batches.delete(made)),
        });
      },
    });
    isBroken = true;
    await expect(say('new')).rejects.toThrow('no time');
    await expect(registry.upsertLocal([component('own')])).rejects.toThrow('no time');
    isBroken = false;
    expect(batches.size).toBe(0);
    expect(await labels()).toEqual(new Set(['old']));
    Reflect.deleteProperty(level, 'batch');
    expect(await rowsLeft()).toEqual([]);
    await open();
    expect(await say('newer')).toMatchObject({ added: 0, changed: COUNT, removed: 0 });
  });

  it('are carried out before the next change of the same source, when that had failed', async () => {
    await say('old');
    breakAfter(12);
    await say('new');
    await expect(say('newer')).rejects.toThrow(StorageFailure);
    Reflect.deleteProperty(level, 'batch');
    await waitFor(() => say('newest'));
    await restart({ baseUrl: 'https://elsewhere.example' });
    expect([await registry.size(), await labels()]).toEqual([COUNT, new Set(['newest'])]);
  });

  it('have happened, and are carried out in the end, though the date of their revision cannot be written', async () => {
    await registry.close();
    let now = 1_800_000_000_000;
    const warnings: string[] = [];
    await open({
      // Every commit ends in a later second than it began in, so its date is written once more.
      clock: { ...systemClock, now: () => (now += 1500) },
      log: { warn: (_, message) => warnings.push(message) },
    });
    await say('old');
    failWrites(({ sync }) => !sync);
    expect(await say('new')).toMatchObject({ added: 0, changed: COUNT, removed: 0 });
    expect(await labels()).toEqual(new Set(['new']));
    // After a failed write nothing is written until the disk has proved good, so the redo log waits, too.
    expect(warnings).toEqual([expect.stringContaining('date'), expect.stringContaining('before the next')]);
    const shown = (await registry.state()).revision;
    await restart();
    expect(await rowsLeft()).toEqual([]);
    await open();
    expect([(await registry.state()).revision.number, await labels()]).toEqual([
      shown.number,
      new Set(['new']),
    ]);
  });

  it('are those of few components, too, where what they say is long: no batch is larger than a few megabytes', async () => {
    const long = Array.from({ length: 200 }, (_, i) =>
      component(`c${i}`, { description: 'x'.repeat(15_000) }),
    );
    const written: number[] = [];
    const batch = level.batch.bind(level) as () => object;
    Object.assign(level, {
      batch: () => {
        const made = batch() as { put(key: string, value: string): unknown; write(options: object): unknown };
        let size = 0;
        const put = made.put.bind(made);
        const write = made.write.bind(made);
        return Object.assign(made, {
          put: (key: string, value: string) => {
            size += key.length + value.length;
            return put(key, value);
          },
          write: (options: object) => {
            written.push(size);
            return write(options);
          },
        });
      },
    });
    const record = { etag: 'long' };
    const documents = [{ url: POD.url, components: long, record }];
    await registry.commit({ source: POD, documents, record: { failures: 0 } });
    expect(Math.max(...written)).toBeLessThan(4_000_000);
    expect(written.reduce((sum, size) => sum + size, 0)).toBeGreaterThan(200 * 15_000);
    await restart({ baseUrl: 'https://elsewhere.example' });
    expect(await registry.size()).toBe(200);
  });

  it('are flushed to disk a few times only, when they are of thousands of documents', async () => {
    let flushed = 0;
    failWrites(({ sync }) => {
      if (sync) flushed += 1;
      return false;
    });
    const said = (label: string) =>
      registry.commit({
        source: POD,
        documents: release(label).map((one, i) => ({
          url: `${POD.url}${i}`,
          components: [one],
          record: { etag: label },
        })),
        record: { failures: 0 },
      });
    await said('old');
    await said('new');
    expect(flushed).toBeLessThan(50);
    await restart({ baseUrl: 'https://elsewhere.example' });
    expect([await registry.size(), await labels()]).toEqual([COUNT, new Set(['new'])]);
  });

  it('say in the log when they could not be carried out', async () => {
    await registry.close();
    const warnings: string[] = [];
    await open({ log: { warn: (_, message) => warnings.push(message) } });
    await say('old');
    breakAfter(12);
    await say('new');
    expect(warnings).toEqual([expect.stringContaining('before the next change')]);
  });

  it('leave nothing behind', async () => {
    await say('old');
    expect(await rowsLeft()).toEqual([]);
    await open();
  });
});
