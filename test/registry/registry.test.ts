import { beforeEach, expect, it, vi } from 'vitest';
import type { Source } from '../../src/component/source.js';
import { cursorOf } from '../../src/core/cursor.js';
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
import { authority, OK, ORDER, PEER, POD_A } from './sources.js';
import { expectDigests } from './told.js';

/** What histories (`histories.ts`) do not reach: how something is committed, and times that they do not come to. */

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
    now += 86_400_000;
    await registry.say(PEER, named('a'), PEER.url, { authority: authority(place) });
    return (await registry.everything()).map((one) => one.since);
  };
  expect(await since(0)).toEqual(await since(1));
});

it('what a document says no more stays gone, whatever the others of its source say', async () => {
  for (const [document, names] of [
    ['one', ['a']],
    ['one', []],
    ['other', ['b']],
  ] as const)
    await registry.say(POD_A, named(...names), POD_A.url + document);
  expect(await registry.labels()).toEqual(['b']);
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
  const writes = vi.fn();
  watchWrites(registry, writes);
  await poll(1);
  await poll(2);
  expect([writes.mock.calls.length, await known()]).toEqual([3, [2, 2, 2]]);
  await poll(3, 1);
  await poll(4, 1);
  expect(writes).toHaveBeenCalledTimes(6);
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
  const tries = vi.fn().mockRejectedValue(new StorageFailure('The disk of this node is full'));
  aroundCommits(registry, tries);
  // It is told all the same that a poll has failed.
  await expect(poll(7, 2)).rejects.toThrow(StorageFailure);
  expect(await known()).toEqual([7, 6, 6]);
  await stop();
  expect([await known(), tries.mock.calls.length]).toEqual([[5, 5, 3], 2]);
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

it('no quads are made, and none are checked, where none are stored', async () => {
  const clock = new VirtualClock();
  registry = await memoryRegistry({ order: ORDER, clock, isQuadstore: false });
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
  const commits = vi.fn();
  watchWrites(registry, commits);
  const documents = [
    { url: `${POD_A.url}doc`, record: null },
    { url: `${POD_A.url}other`, components: numbered(10, LARGE), record: {} },
  ];
  const count = await registry.commit({ source: POD_A, documents, record: { ...OK, lastSuccess: 1 } });
  expect(count).toMatchObject({ added: LARGE, changed: 0, removed: 5 });
  expect([commits.mock.calls.length, sizes]).toEqual([3, [MOST + 5, 2 * MOST + 5, LARGE]]);
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
