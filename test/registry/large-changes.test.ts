import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { statementElement } from '../../src/component/statement-digest.js';
import type { DocumentRecord } from '../../src/core/document-record.js';
import { feedDigest } from '../../src/core/source-digests.js';
import type { MemoryData } from '../../src/keep/memory/memory-keep.js';
import { systemClock } from '../../src/lib/clock.js';
import { LtHash } from '../../src/lib/lt-hash.js';
import { component, memoryData, memoryRegistry, type TestRegistry } from '../support/registry.js';
import { OK, ORDER, PEER, POD_A } from './sources.js';

/** Changes that take several commits (design, section 5): what is added first, what goes after it, the records last. */

const MOST_AT_ONCE = 100;
const LARGE = 2 * MOST_AT_ONCE + 50;
const URL = `${POD_A.url}doc`;
const named = (from: number, to: number, label?: string) =>
  Array.from({ length: to - from }, (_, i) => component(`c${from + i}`, label ? { label } : {}));

let data: MemoryData;
let registry: TestRegistry;
let warned: string[];

async function open(): Promise<void> {
  const clock = { ...systemClock, now: () => 1_000_000 };
  const log = { warn: (_: object, message: string) => void warned.push(message) };
  registry = await memoryRegistry({ order: ORDER, clock, log, mostAtOnce: MOST_AT_ONCE }, data);
}
const commit = (components: ReturnType<typeof named>, record: DocumentRecord = { etag: '"1"' }) =>
  registry.commit({
    source: POD_A,
    documents: [{ url: URL, components, record }],
    record: { ...OK, lastSuccess: components.length },
  });

/** The process dies behind so many more commits. */
function dieAfter(commits: number): void {
  const { keep } = registry;
  const write = keep.commit.bind(keep);
  let left = commits;
  keep.commit = (...asked) => {
    left -= 1;
    return left < 0 ? Promise.reject(new Error('killed')) : write(...asked);
  };
}

async function expectWhole(): Promise<void> {
  const { feed, networkRevision } = await registry.state();
  expect(feed.digest).toBe(feedDigest(feed.sources, networkRevision.number));
  const hash = LtHash.empty();
  const { of } = (await registry.source(POD_A))?.documents.get(URL) ?? {};
  for (const { metadata } of await registry.everything()) hash.add(statementElement(URL, metadata));
  expect(feed.sources.map(({ digest, count }) => [digest, count])).toEqual([[hash.digest(), hash.count]]);
  expect(of).toBeUndefined();
}

beforeEach(async () => {
  data = memoryData();
  warned = [];
  await open();
});

// Whatever a crash leaves is a state like any other: nothing of it is taken for damage.
afterEach(() => expect(warned).toEqual([]));

describe('a change of more statements than one commit takes', () => {
  it('shows each commit as a state, what is removed last, and counts all of it', async () => {
    await commit(named(0, 5));
    const sizes: number[] = [];
    registry.catalog.watch(({ components }) => sizes.push(components));
    const count = await commit(named(3, LARGE));
    expect(count).toMatchObject({ added: LARGE - 5, changed: 0, removed: 3 });
    expect(sizes.filter((size, i) => size !== sizes[i - 1])).toEqual([
      MOST_AT_ONCE + 5,
      2 * MOST_AT_ONCE + 5,
      LARGE - 3,
    ]);
    await expectWhole();
  });

  it('removes of one document what it removes when all is added that others say, in no more commits than that takes', async () => {
    const other = `${POD_A.url}other`;
    await commit(named(0, 5));
    const sizes: number[] = [];
    registry.catalog.watch(({ components }) => sizes.push(components));
    dieAfter(3);
    await registry.commit({
      source: POD_A,
      documents: [
        { url: URL, record: null },
        { url: other, components: named(10, 10 + LARGE), record: {} },
      ],
      record: OK,
    });
    expect(sizes).toEqual([MOST_AT_ONCE + 5, 2 * MOST_AT_ONCE + 5, LARGE]);
  });

  it('is read again whole after a crash on the way, and ends as if there had been none', async () => {
    await commit(named(0, 5));
    dieAfter(2);
    await expect(commit(named(3, LARGE), { etag: '"2"' })).rejects.toThrow('killed');
    await open();
    expect(await registry.size()).toBe(2 * MOST_AT_ONCE + 5);
    const stored = await registry.source(POD_A);
    expect(stored?.record.lastSuccess).toBe(5);
    expect(stored?.documents.get(URL)).toEqual({ components: 2 * MOST_AT_ONCE + 5 });
    await expectWhole();
    expect(await commit(named(3, LARGE), { etag: '"2"' })).toMatchObject({
      added: LARGE - 3 - 2 * MOST_AT_ONCE - 2,
      removed: 3,
    });
    await expectWhole();
  });

  it('goes when its source is forgotten, in portions that are states like any other, also after it was broken off', async () => {
    await commit(named(0, LARGE));
    const breaking = new AbortController();
    const unwatch = registry.catalog.watch(() => breaking.abort(new Error('broken off')));
    await expect(registry.forget(POD_A, breaking.signal)).rejects.toThrow('broken off');
    unwatch();
    await expectWhole();
    await open();
    const left = LARGE - MOST_AT_ONCE;
    expect(await registry.size()).toBe(left);
    // A poll that comes first reads anew what has begun to go.
    const { record, documents } = (await registry.source(POD_A)) ?? {};
    expect([record, documents?.get(URL)]).toEqual([OK, { components: left }]);
    const sizes: number[] = [];
    registry.catalog.watch(({ components }) => sizes.push(components));
    await registry.forget(POD_A);
    expect(sizes).toEqual([left - MOST_AT_ONCE, 0]);
    expect(await registry.sources()).toEqual([]);
  });

  it('moves a document to another source of the peer, and the digests of both fit at any time', async () => {
    const [url, later] = ['https://x.example/doc', 'https://x.example/later'];
    const say = (of: string, label: string) =>
      registry.commit({
        source: PEER,
        documents: [
          { url, components: named(0, LARGE, label), record: { of } },
          { url: later, components: named(0, 1, label), record: { of } },
        ],
        record: OK,
      });
    await say('pod https://one.example/', 'one');
    dieAfter(2);
    await expect(say('pod https://two.example/', 'two')).rejects.toThrow('killed');
    await open();
    await say('pod https://two.example/', 'two');
    const hash = LtHash.empty();
    for (const one of named(0, LARGE, 'two')) hash.add(statementElement(url, one));
    for (const one of named(0, 1, 'two')) hash.add(statementElement(later, one));
    const [summary] = (await registry.state()).feed.sources;
    expect([summary?.digest, summary?.count]).toEqual([hash.digest(), LARGE + 1]);
  });
});
