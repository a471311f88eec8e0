import { beforeEach, describe, expect, it } from 'vitest';
import type { State } from '../../src/catalog/catalog.js';
import type { Source } from '../../src/component/source.js';
import { cursorOf } from '../../src/core/cursor.js';
import type { StoredPin } from '../../src/core/pins.js';
import { type MemoryData, openMemory } from '../../src/keep/memory/memory-keep.js';
import { systemClock } from '../../src/lib/clock.js';
import { StorageFailure } from '../../src/lib/faults.js';
import { aroundCommits, watchWrites } from '../support/commits.js';
import { notedPauses } from '../support/pauses.js';
import {
  component,
  memoryData,
  memoryRegistry,
  named,
  openRegistry,
  type TestOptions,
  type TestRegistry,
} from '../support/registry.js';
import { VirtualClock } from '../support/virtual-time.js';
import { expectDigests } from './histories.js';
import { authority, OK, ORDER, PEER, POD_A, POD_B } from './sources.js';

/** What histories (`histories.ts`) do not reach: how something is committed, and times that they do not come to. */

const DAY = 86_400_000;
let data: MemoryData;
let registry: TestRegistry;
let now: number;

async function open(more: TestOptions = {}): Promise<void> {
  registry = await memoryRegistry({ order: ORDER, clock: { ...systemClock, now: () => now }, ...more }, data);
}

beforeEach(async () => {
  [data, now] = [memoryData(), Date.UTC(2026, 10, 22)];
  await open();
});

const LISTS = { peers: [], storage: [{ url: POD_A.url, hops: 0, via: [] }] };

it.each([
  ['revision', () => registry.say(POD_A, [component('a')])],
  ['networkRevision', () => registry.setNetwork(LISTS)],
] as const)('a change is dated by when readers saw it, in another second: %s', async (moved, change) => {
  now += 900;
  const written = now + 1_300;
  aroundCommits(registry, async (commit) => {
    const head = await commit();
    now = written;
    return head;
  });
  await change();
  const shown = (await registry.state())[moved];
  expect(shown.since).toBe(written);
  await open();
  expect((await registry.state())[moved]).toEqual(shown);
});

it('a description is said since it has this form, whatever the place of its authority becomes', async () => {
  const since = async (place: number) => {
    now += DAY;
    await registry.say(PEER, named('a'), PEER.url, { authority: authority(place) });
    return (await registry.everything()).map((one) => one.since);
  };
  expect(await since(0)).toEqual(await since(1));
});

it('a poll that finds nothing new writes nothing: a stop stores its times, as far as there is time and space', async () => {
  const sources = ['1', '2', '3'].map((name): Source => ({ kind: 'pod', url: `https://${name}.example/` }));
  const poll = async (lastSuccess: number, failures = 0) => {
    // A commit takes one of them.
    const record = { failures, lastSuccess, memo: { long: 'x'.repeat(50_000) } };
    for (const source of sources) await registry.commit({ source, documents: [], record });
  };
  const known = () =>
    Promise.all(sources.map(async (one) => (await registry.source(one))?.record.lastSuccess));
  const stop = async () => {
    await registry.registry.close();
    await open();
  };
  let writes = 0;
  watchWrites(registry, () => {
    writes += 1;
  });
  await poll(1);
  await poll(2);
  expect([writes, await known()]).toEqual([3, [2, 2, 2]]);
  await poll(3, 1);
  await poll(4, 1);
  expect(writes).toBe(6);
  // As after a crash.
  await open();
  expect(await known()).toEqual([3, 3, 3]);
  await poll(5, 1);
  aroundCommits(registry, (commit) => {
    now += 600;
    return commit();
  });
  await stop();
  expect(await known()).toEqual([5, 5, 3]);
  await poll(6, 1);
  let tries = 0;
  aroundCommits(registry, async () => {
    tries += 1;
    throw new StorageFailure('The disk of this node is full');
  });
  // It is told all the same that a poll has failed.
  await expect(poll(7, 2)).rejects.toThrow(StorageFailure);
  expect(await known()).toEqual([7, 6, 6]);
  await stop();
  expect([await known(), tries]).toEqual([[5, 5, 3], 2]);
});

it('it is told how far everything has been read', async () => {
  await registry.say(POD_A, named('a', 'b', 'c'));
  const told: number[][] = [];
  await open({ onProgress: (...progress) => told.push(progress) });
  expect(told).toEqual([[3, 3]]);
});

it('whatever is long gives way to other work', async () => {
  const { pace, expectPauses } = notedPauses();
  const long = `${POD_A.url}${'long'.repeat(200)}`;
  const pin = { source: POD_A, first: 'sha384-a', last: 'sha384-a', since: 1, checked: 1 };
  const place = async () => openMemory(data, { clock: systemClock, isShared: true });
  // On whose clock no time passes: neither looks by itself what the other one has written.
  const shared = { order: ORDER, pace, clock: new VirtualClock() };
  registry = await openRegistry(await place(), shared);
  const other = await openRegistry(await place(), shared);
  for (const work of [
    () => registry.say(POD_A, named(...'abcdef'), long),
    async () => other.catalog.state({ ...cursorOf(await registry.state()), position: 99 }),
    () => registry.setPins([{ ...pin, uri: component('a').uri }]),
    () => registry.pins.forgetUnused(),
    () => registry.commit({ source: POD_A, documents: [{ url: long, record: null }], record: OK }),
    () => registry.forget(POD_A),
    () => open({ pace }),
  ])
    await expectPauses(work);
});

it('no quads are made for a keep that has none', async () => {
  const place = openMemory(data, { clock: systemClock });
  const keep: typeof place.keep = async (service) =>
    Object.defineProperty(await place.keep(service), 'holdsQuads', { value: false });
  const clock = new VirtualClock();
  registry = await openRegistry({ ...place, keep }, { order: ORDER, clock });
  let made = 0;
  watchWrites(registry, ({ quads }) => {
    made += [...(quads?.put ?? []), ...(quads?.remove ?? [])].length;
  });
  for (const names of [['a', 'b'], ['b']]) await registry.say(POD_A, named(...names));
  expect([made, clock.sleeping]).toEqual([0, 0]);
});

it('a change that names a document twice is refused: it would be counted twice', async () => {
  const one = { url: 'https://x.example/a', components: [component('a')], record: {} };
  const change = { source: POD_A, documents: [one, one], record: OK };
  await expect(registry.commit(change)).rejects.toThrow('each document once');
});

it('a change of more statements than one commit takes is a state with each commit: what goes is last', async () => {
  const [MOST, LARGE] = [100, 250];
  const numbered = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => component(`c${from + i}`));
  await open({ mostAtOnce: MOST });
  await registry.say(POD_A, numbered(0, 5));
  const sizes: number[] = [];
  registry.catalog.watch(({ components }) => sizes.push(components));
  let commits = 0;
  watchWrites(registry, () => {
    commits += 1;
  });
  const documents = [
    { url: `${POD_A.url}doc`, record: null },
    { url: `${POD_A.url}other`, components: numbered(10, LARGE), record: {} },
  ];
  const count = await registry.commit({ source: POD_A, documents, record: { ...OK, lastSuccess: 1 } });
  expect(count).toMatchObject({ added: LARGE, changed: 0, removed: 5 });
  expect([commits, sizes]).toEqual([3, [MOST + 5, 2 * MOST + 5, LARGE]]);
  await expectDigests(registry);
});

it('of a source that is forgotten in part nothing is remembered that keeps the rest from being read', async () => {
  await open({ mostAtOnce: 1 });
  const documents = [{ url: POD_A.url, components: named('a', 'b', 'c'), record: { etag: '"1"' } }];
  await registry.commit({ source: POD_A, documents, record: { ...OK, lastSuccess: 1 } });
  const breaking = new AbortController();
  registry.catalog.watch(() => breaking.abort(new Error('broken off')));
  await expect(registry.forget(POD_A, breaking.signal)).rejects.toThrow('broken off');
  const { record, documents: left } = (await registry.source(POD_A)) ?? {};
  expect([record, left?.get(POD_A.url)]).toEqual([OK, { components: 2 }]);
});

describe('pins', () => {
  const one = component('one', { version: '1.0.0' });
  /** As seen first for what `POD_A` says. */
  const pin = (bytes: string, more: Partial<StoredPin> = {}): StoredPin => ({
    ...{ uri: one.uri, version: '1.0.0', source: POD_A },
    ...{ first: `sha384-${bytes}`, last: `sha384-${bytes}`, since: 1, checked: 1 },
    ...more,
  });
  const CHANGED = pin('a', { last: 'sha384-b', changedAt: 5 });

  it('are told by the feed when bytes have changed, and not once more when they are others again', async () => {
    const told = async ({ position }: Pick<State['feed'], 'position'>) => {
      const { changes } = await registry.changes({ after: position });
      return changes.map(({ uri, isUpdate, pin: news }) => [uri, isUpdate, news]);
    };
    await registry.say(POD_A, [one]);
    await registry.setPins([pin('a')]);
    expect(await told({ position: 0 })).toEqual([[one.uri, false, undefined]]);
    const { feed: first } = await registry.state();
    await registry.setPins([CHANGED]);
    expect(await told(first)).toEqual([[one.uri, true, { integrity: 'sha384-a', changed: 'sha384-b' }]]);
    const { feed: second } = await registry.state();
    await registry.setPins([{ ...CHANGED, last: 'sha384-c' }]);
    expect(await told(second)).toEqual([]);
    await registry.setPins([pin('a')]);
    const { feed: third } = await registry.state();
    // Another file that the module imports is told, too.
    const files = [{ uri: 'https://one.example/a.js', integrity: 'sha384-d', changed: 'sha384-e' }];
    await registry.setPins([pin('a', { files, changedAt: 6 })]);
    expect(await told(third)).toEqual([[one.uri, true, { integrity: 'sha384-a', files }]]);
  });

  it('of what nobody has described for 180 days are forgotten, however long ago it was looked at', async () => {
    const began = now;
    await registry.say(POD_A, [one]);
    await registry.say(POD_B, [{ ...one, version: '1.1.0' }]);
    const versions = ['0.9.0', '1.0.0', '1.1.0'];
    await registry.setPins(versions.map((version) => pin('a', { version, checked: began })));
    for (const [day, said, left] of [
      [0, undefined, versions],
      [179, [], versions],
      [181, [one], ['1.0.0', '1.1.0']],
      [300, [], ['1.0.0', '1.1.0']],
      [320, undefined, ['1.0.0', '1.1.0']],
      [499, undefined, ['1.0.0', '1.1.0']],
      [501, undefined, ['1.1.0']],
    ] as const) {
      now = began + day * DAY;
      await registry.pins.forgetUnused();
      await open();
      expect([day, (await registry.pins.list({})).map(({ version }) => version)]).toEqual([day, left]);
      if (said) await registry.say(POD_A, said);
    }
  });

  it('of modules that nobody describes are so many: those go first that have been so for longest', async () => {
    const unused = (i: number): StoredPin =>
      pin('a', { uri: `https://c.example/${i}.js`, unusedSince: now - i });
    await registry.setPins(Array.from({ length: 50_002 }, (_, i) => unused(i)));
    await registry.pins.forgetUnused();
    expect(await registry.pins.counts()).toEqual({ all: 50_000, changed: 0 });
    expect(await registry.pins.get([unused(50_001), unused(0)])).toEqual([undefined, unused(0)]);
  });
});
