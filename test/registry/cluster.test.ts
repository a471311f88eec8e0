import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LOCAL, type Source } from '../../src/component/source.js';
import { feedDigest } from '../../src/core/source-digests.js';
import { LeaseLost } from '../../src/keep/faults.js';
import type { Keep, Place } from '../../src/keep/keep.js';
import { type MemoryData, openMemory } from '../../src/keep/memory/memory-keep.js';
import { systemClock } from '../../src/lib/clock.js';
import { OutcomeUnknown, StorageFailure, StoreUnavailable } from '../../src/lib/faults.js';
import type { SharedPolls } from '../../src/registry/open-registry.js';
import { component, memoryData, openRegistry, type TestRegistry } from '../support/registry.js';
import { expectSoon } from '../support/wait-for.js';
import { OK, PEER, POD_A, POD_B } from './sources.js';

/** Several nodes on one keep, beside what histories (`histories.ts`) do to them. */

let data: MemoryData;
let nodes: TestRegistry[] = [];

async function node(
  order: readonly string[] = [POD_A.url, POD_B.url],
  isShared = true,
  told?: Promise<void>,
  now = systemClock.now,
): Promise<TestRegistry> {
  const place = openMemory(data, { clock: systemClock, isShared });
  const opened = await openRegistry(told ? withKeep(place, (keep) => toldLate(keep, told)) : place, {
    order: { pods: order, peers: [PEER.url] },
    servedAs: 'release',
    // What failed is tried again soon; the check of quads comes as late as ever.
    clock: { now, sleep: (ms, signal) => systemClock.sleep(ms > 60_000 ? ms : 10, signal) },
  });
  nodes.push(opened);
  return opened;
}

const NEVER = new Promise<void>(() => undefined);

/** A place whose keeps have been changed so. */
function withKeep(place: Place, change: (keep: Keep) => void): Place {
  const keep: Place['keep'] = async (service) => {
    const opened = await place.keep(service);
    change(opened);
    return opened;
  };
  return { ...place, keep };
}

/** Its node hears of nothing before that moment, but what it finds when it writes. */
function toldLate(keep: Keep, moment: Promise<void>): void {
  const tail = keep.tail.bind(keep);
  let isTold = false;
  void moment.then(() => (isTold = true));
  keep.tail = async (since) => (isTold ? tail(since) : { head: since, rows: [] });
}

/** Calls `listener` before each commit of a node, with its number. */
function beforeCommits(keep: Keep, listener: (number: number) => unknown): void {
  const commit = keep.commit.bind(keep);
  let commits = 0;
  keep.commit = async (...asked) => {
    commits += 1;
    await listener(commits);
    return commit(...asked);
  };
}

beforeEach(() => {
  data = memoryData();
  nodes = [];
});
afterEach(async () => {
  for (const one of nodes) await one.close();
});

it('another vocabulary: all is read anew, also what a node has read in the former one meanwhile', async () => {
  const first = await node([POD_A.url]);
  const read = (etag: string) =>
    first.commit({
      ...{ source: POD_A, record: OK },
      documents: [{ url: POD_A.url, components: [component('a')], record: { etag } }],
    });
  await read('"1"');
  // Between its first commit and its second one.
  const place = withKeep(openMemory(data, { clock: systemClock, isShared: true }), (keep) =>
    beforeCommits(keep, (number) => number === 2 && read('"2"')),
  );
  const how = { order: { pods: [POD_A.url], peers: [PEER.url] }, servedAs: 'release' };
  const second = await openRegistry(place, { ...how, namespace: 'https://other.example/voc#' });
  nodes.push(second);
  expect((await second.source(POD_A))?.documents.get(POD_A.url)).toEqual({ components: 1 });
});

const say = (registry: TestRegistry, source: Source, names: string[], label?: string) =>
  registry.say(
    source,
    names.map((name) => component(name, label ? { label } : {})),
  );

/** Everything that readers see. */
async function shown(registry: TestRegistry) {
  const { feed, ...state } = await registry.state();
  const { changes } = await registry.changes({ removals: true });
  expect(feed.digest).toBe(feedDigest(feed.sources, state.networkRevision.number));
  const { json } = await registry.catalog.page({});
  return { ...state, feed: { ...feed, sources: feed.sources.length }, changes, bytes: String(json?.whole()) };
}

async function expectSame(...registries: TestRegistry[]): Promise<void> {
  const [first, ...others] = registries;
  if (!first) return;
  await expectSoon(async () => {
    for (const other of others) expect(await shown(other)).toEqual(await shown(first));
  });
}

describe('nodes on one keep', () => {
  it('decide again what others have touched meanwhile, and lose nothing', async () => {
    const registries = [await node(), await node(), await node()];
    const put = (i: number) => [component(`n${i}`), component('shared', { label: `${i}` })];
    await Promise.all(registries.flatMap((one, i) => [0, 3, 6, 9].map((n) => one.upsertLocal(put(n + i)))));
    await expectSame(...registries);
    for (const one of registries)
      expect((await one.source(LOCAL))?.documents.get(LOCAL.url)?.components).toBe(13);
  });

  it('hear what others have polled, also where they read everything anew for another order', async () => {
    let tell: () => void = () => undefined;
    const one = await node(undefined, true, new Promise((resolve) => (tell = resolve)));
    const heard: Source[] = [];
    one.polls?.watch((source) => heard.push(source));
    const other = await node([POD_B.url, POD_A.url]);
    await other.commit({ source: POD_A, documents: [], record: OK });
    tell();
    await expectSoon(async () => expect(heard).toContainEqual(POD_A));
    await expectSame(one, other);
  });

  it('hear when another one has polled a source, also where that has found nothing new', async () => {
    const [one, other] = [await node(), await node()];
    for (const lastSuccess of [1, 2])
      await one.commit({ source: POD_A, documents: [], record: { ...OK, lastSuccess } });
    await expectSoon(async () => expect((await other.source(POD_A))?.record.lastSuccess).toBe(2));
  });

  it('keep nobody waiting while they read everything anew for another order', async () => {
    const [one, other] = [await node(undefined, true, NEVER), await node()];
    const [commit, rows] = [one.keep.commit.bind(one.keep), one.keep.rows.bind(one.keep)];
    let [tries, isLocked, reads] = [0, false, 0];
    one.keep.commit = async (since, decide, lease) => {
      tries += 1;
      if (tries === 1) await node([POD_B.url, POD_A.url]);
      const decideLocked: typeof decide = async (found) => {
        isLocked = true;
        try {
          return await decide(found);
        } finally {
          isLocked = false;
        }
      };
      return commit(since, decideLocked, lease);
    };
    one.keep.rows = (...asked) => {
      expect(isLocked).toBe(false);
      reads += 1;
      return rows(...asked);
    };
    await one.upsertLocal([component('late')]);
    expect(reads).toBe(1);
    await expectSame(one, other);
  });

  it('take over another order also when the database was away while they read everything anew', async () => {
    const one = await node();
    await say(one, POD_A, ['x'], 'a');
    await say(one, POD_B, ['x'], 'b');
    const rows = one.keep.rows.bind(one.keep);
    let isAway = true;
    one.keep.rows = async function* (tables) {
      for await (const batch of rows(tables)) {
        yield batch;
        if (!isAway || batch.table !== 'statement') continue;
        isAway = false;
        throw new StoreUnavailable('The database is away');
      }
    };
    const other = await node([POD_B.url, POD_A.url]);
    await expectSoon(async () => expect(await one.labels()).toEqual(['b']));
    expect(isAway).toBe(false);
    await expectSame(one, other);
  });

  it.each([
    ['soon and silently', 'cannot be asked', new StoreUnavailable('The database has too much to do'), 0, 250],
    ['later, and say so,', 'cannot be understood', new Error('The row is not what was written'), 1, 5_000],
  ])('look again %s, where what others have written %s', async (_, __, error, said, wait) => {
    let [isAway, warnings] = [true, 0];
    const waits: number[] = [];
    const place = withKeep(openMemory(data, { clock: systemClock, isShared: true }), (keep) => {
      const tail = keep.tail.bind(keep);
      keep.tail = async (since) => {
        if (isAway) throw error;
        return tail(since);
      };
    });
    const sleep: (typeof systemClock)['sleep'] = (ms, signal) => {
      if (ms <= 60_000) waits.push(ms);
      if (waits.length === 1) isAway = false;
      return systemClock.sleep(ms > 60_000 ? ms : 10, signal);
    };
    const log = { warn: () => (warnings += 1) };
    const one = await openRegistry(place, {
      servedAs: 'release',
      clock: { now: systemClock.now, sleep },
      log,
    });
    nodes.push(one);
    await expectSoon(() => expect(waits.length).toBeGreaterThan(1));
    expect([warnings, ...waits.slice(0, 2)]).toEqual([said, wait, 250]);
  });

  it('keep no lease that they could not use', async () => {
    const [one, other] = [await node(), await node()];
    one.keep.tail = async () => {
      throw new StoreUnavailable('The database is away');
    };
    await expect(one.polls?.take(POD_A)).rejects.toThrow(StoreUnavailable);
    expect(await other.polls?.take(POD_A)).toBeDefined();
  });

  it('load everything anew when a backup is restored, in another epoch', async () => {
    const [one, other] = [await node(), await node()];
    const { epoch } = (await one.state()).revision;
    const backup = data.backup();
    await say(one, POD_A, ['lost']);
    await expectSame(one, other);
    data.restore(backup);
    await say(other, POD_B, ['after']);
    await expectSoon(async () => expect(await one.labels()).toEqual(['after']));
    await expectSame(one, other);
    expect((await one.state()).revision.epoch).not.toBe(epoch);
  });

  it.each([StoreUnavailable, StorageFailure, OutcomeUnknown])(
    'load everything anew also where the other epoch cannot be begun at once: %o',
    async (kind) => {
      const one = await node();
      const { epoch } = (await one.state()).revision;
      const backup = data.backup();
      await say(one, POD_A, ['lost']);
      vi.spyOn(one.keep, 'commit').mockRejectedValueOnce(new kind('Later'));
      data.restore(backup);
      await expectSoon(async () => expect(await one.labels()).toEqual([]));
      expect((await one.state()).revision.epoch).not.toBe(epoch);
    },
  );

  it('tell of the new epoch also when they have seen nothing of what was lost', async () => {
    const one = await node();
    const behind = await node(undefined, false);
    const backup = data.backup();
    await say(one, POD_A, ['lost']);
    data.restore(backup);
    for (const late of [one, behind]) await late.commit({ source: POD_A, documents: [], record: OK });
    expect((await behind.state()).revision).toEqual((await one.state()).revision);
  });

  it('never move the date of the latest change back', async () => {
    let late = 0;
    const one = await node(undefined, true, undefined, () => systemClock.now() + late);
    const ahead = await node(undefined, true, undefined, () => systemClock.now() + 60_000);
    beforeCommits(one.keep, async (number) => {
      // The change was shown in another second, so that its date is to be moved; but the other node is first.
      if (number === 2) await say(ahead, POD_B, ['b']);
      late = 5_000;
    });
    await say(one, POD_A, ['a']);
    await expectSame(one, ahead);
    expect(await ahead.labels()).toEqual(['a', 'b']);
    expect((await one.state()).revision.since).toBeGreaterThan(systemClock.now() + 50_000);
  });

  it('hear of what others write, and not once more of what they have written themselves', async () => {
    let tell: () => void = () => undefined;
    const moment = new Promise<void>((resolve) => {
      tell = resolve;
    });
    const [one, other] = [await node(undefined, true, moment), await node()];
    const heard: Source[] = [];
    one.polls?.watch((source) => heard.push(source));
    await say(one, POD_A, ['a', 'b']);
    await say(other, POD_B, ['later']);
    tell();
    await expectSoon(async () => expect(await one.size()).toBe(3));
    await expectSoon(() => expect(heard).toEqual([POD_B]));
    await expectSame(one, other);
  });

  it('poll a source one at a time, and refuse what was read under a lease that is lost', async () => {
    const [one, other] = [await node(), await node()];
    const [mine, theirs] = [one.polls, other.polls] as [SharedPolls, SharedPolls];
    const lease = await mine.take(POD_A);
    expect(await theirs.take(POD_A)).toBeUndefined();
    const change = { source: POD_A, documents: [], record: { failures: 2 } };
    if (lease) await one.commit({ ...change, lease });
    await lease?.release();
    expect(await theirs.take(POD_A)).toBeDefined();
    expect((await other.source(POD_A))?.record).toEqual({ failures: 2 });
    if (lease) await expect(one.commit({ ...change, lease })).rejects.toThrow('Another node has taken');
  });

  it('refuse the end of a poll of which a restored backup has lost the beginning', async () => {
    const one = await node();
    const lease = await one.polls?.take(POD_A);
    const before = data.backup();
    const portion = (name: string) => ({
      ...{ source: POD_A, record: OK, ...(lease ? { lease } : {}) },
      documents: [{ url: POD_A.url + name, components: [component(name)], record: {} }],
    });
    await one.commit(portion('beginning'));
    data.restore(before);
    await expect(one.commit(portion('end'))).rejects.toThrow(LeaseLost);
    expect(await one.labels()).toEqual([]);
    const again = await node();
    await expectSame(one, again);
  });
});
