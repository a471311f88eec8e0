import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LOCAL, type Source } from '../../src/component/source.js';
import { cursorOf } from '../../src/core/cursor.js';
import { LeaseLost } from '../../src/keep/faults.js';
import type { Keep } from '../../src/keep/keep.js';
import { type MemoryData, openMemory } from '../../src/keep/memory/memory-keep.js';
import { type Clock, systemClock } from '../../src/lib/clock.js';
import { OutcomeUnknown, StorageFailure, StoreUnavailable } from '../../src/lib/faults.js';
import type { SharedPolls } from '../../src/registry/open-registry.js';
import { aroundCommits, watchWrites } from '../support/commits.js';
import {
  component,
  memoryData,
  openRegistry,
  type TestOptions,
  type TestRegistry,
} from '../support/registry.js';
import { VirtualClock } from '../support/virtual-time.js';
import { expectSoon } from '../support/wait-for.js';
import { OK, PEER, POD_A, POD_B } from './sources.js';
import { expectDigests, told } from './told.js';

/** Several nodes on one keep, beside what histories (`histories.ts`) do to them. */

let data: MemoryData;
let nodes: TestRegistry[] = [];
/** Ms by which the clock of the nodes is ahead of the system's. */
let passed = 0;

/** What failed is tried again soon; the check of quads comes as late as ever. */
const IMPATIENT: Clock = {
  now: () => systemClock.now() + passed,
  sleep: (ms, signal) => systemClock.sleep(ms > 60_000 ? ms : 10, signal),
};

const order = (...pods: Source[]) => ({ pods: pods.map(({ url }) => url), peers: [PEER.url] });

interface NodeOptions extends TestOptions {
  /** Changes its keeps before anything is asked of them. */
  readonly keep?: (keep: Keep) => void;
}

async function node({ keep: change, clock, ...more }: NodeOptions = {}): Promise<TestRegistry> {
  const place = openMemory(data, { clock: systemClock, isShared: true });
  const keep = await place.keep('registry');
  change?.(keep);
  const opened = await openRegistry(
    { ...place, keep: async () => keep },
    { order: order(POD_A, POD_B), servedAs: 'release', clock: { ...IMPATIENT, ...clock }, ...more },
  );
  nodes.push(opened);
  return opened;
}

/** A node that hears of nothing before it is told to, but what it finds when it writes. */
async function late() {
  const one = await node();
  const tail = vi.spyOn(one.keep, 'tail').mockImplementation(async (head) => ({ head, rows: [] }));
  return { one, tell: () => tail.mockRestore() };
}

/** Whether a node decides what it commits, so that all others wait; and how many rows of theirs it has found each time. */
function lockOf({ keep }: TestRegistry) {
  const lock = { isHeld: false, found: [] as number[] };
  const commit = keep.commit.bind(keep);
  keep.commit = (since, decide, lease) =>
    commit(
      since,
      async (found) => {
        lock.isHeld = true;
        lock.found.push(found.rows.length);
        return Promise.resolve(decide(found)).finally(() => {
          lock.isHeld = false;
        });
      },
      lease,
    );
  return lock;
}

beforeEach(() => {
  data = memoryData();
  nodes = [];
  passed = 0;
});
afterEach(async () => {
  for (const one of nodes) await one.close();
});

const say = (registry: TestRegistry, source: Source, names: string[], label?: string) =>
  registry.say(
    source,
    names.map((name) => component(name, label ? { label } : {})),
  );

async function expectSame(...registries: TestRegistry[]): Promise<void> {
  const [first, ...others] = registries as [TestRegistry, ...TestRegistry[]];
  await expectSoon(async () => {
    for (const other of others) expect(await told(other)).toEqual(await told(first));
  });
  await expectDigests(first);
}

describe('nodes on one keep', () => {
  it('read all anew in another vocabulary, also what a node has read in the former one meanwhile', async () => {
    const former = await node();
    const read = (etag: string) => former.say(POD_A, [component('a')], POD_A.url, { etag });
    await read('"1"');
    // Between its first commit and its second one.
    const latter = await node({
      namespace: 'https://other.example/voc#',
      keep: (keep) =>
        void aroundCommits({ keep }, async (commit, number) => {
          if (number === 2) await read('"2"');
          return commit();
        }),
    });
    expect((await latter.source(POD_A))?.documents.get(POD_A.url)).toEqual({ components: 1 });
  });

  it('decide again what others have touched meanwhile, and lose nothing', async () => {
    const registries = [await node(), await node(), await node()];
    const put = (i: number) => [component(`n${i}`), component('shared', { label: `${i}` })];
    await Promise.all(registries.flatMap((one, i) => [0, 3, 6, 9].map((n) => one.upsertLocal(put(n + i)))));
    await expectSame(...registries);
    for (const one of registries)
      expect((await one.source(LOCAL))?.documents.get(LOCAL.url)?.components).toBe(13);
  });

  it('read what others have written before anybody has to wait for it, and else within a second', async () => {
    const clock = new VirtualClock();
    const [one, other] = [await node({ clock }), await node()];
    // It has looked, and the check of quads waits, too.
    await expectSoon(() => expect(clock.sleeping).toBe(2));
    await other.upsertLocal([component('a')]);
    const lock = lockOf(one);
    await one.upsertLocal([component('b')]);
    expect([lock.found, await one.labels()]).toEqual([[0], ['a', 'b']]);
    await other.upsertLocal([component('c')]);
    clock.pass(1_000);
    await expectSoon(async () => expect(await one.labels()).toEqual(['a', 'b', 'c']));
  });

  it('hear of what others have said or polled, not once more of their own, and of all that was read anew', async () => {
    const { one, tell } = await late();
    const [other, heard] = [await node(), [] as Source[]];
    one.polls?.watch((source) => heard.push(source));
    await say(one, POD_A, ['a', 'b']);
    await say(other, POD_B, ['later']);
    tell();
    await expectSoon(() => expect(heard).toEqual([POD_B]));
    // A poll that finds nothing new, too.
    await other.commit({ source: POD_B, documents: [], record: { ...OK, lastSuccess: 2 } });
    await expectSoon(async () => expect((await one.source(POD_B))?.record.lastSuccess).toBe(2));
    await expectSame(one, other, await node({ order: order(POD_B, POD_A) }));
    expect(heard).toContainEqual(POD_A);
  });

  it('keep nobody waiting while they read everything anew for another order', async () => {
    const { one } = await late();
    const [lock, rows] = [lockOf(one), one.keep.rows.bind(one.keep)];
    const other = await node({ order: order(POD_B, POD_A) });
    const reads = vi.spyOn(one.keep, 'rows').mockImplementation((...asked) => {
      expect(lock.isHeld).toBe(false);
      return rows(...asked);
    });
    await one.upsertLocal([component('late')]);
    expect(reads).toHaveBeenCalledTimes(1);
    await expectSame(one, other);
  });

  it('read all anew where statements went whose removals nobody remembers any more', async () => {
    const other = await node();
    await say(other, POD_A, ['a', 'b', 'later']);
    const since = cursorOf(await other.state());
    const { one, tell } = await late();
    for (const [i, names] of [['b', 'later'], ['b'], ['b', 'c']].entries()) {
      passed = i * 100 * 86_400_000;
      await say(other, POD_A, names);
    }
    tell();
    await expectSame(one, other);
    expect(await one.labels()).toEqual(['b', 'c']);
    for (const { catalog } of [one, other])
      expect(await catalog.changes({ since, limit: 9 })).toEqual({ unknown: 'expired' });
  });

  it('take over another order also when the database was away while they read everything anew', async () => {
    const one = await node();
    await say(one, POD_A, ['x'], 'a');
    await say(one, POD_B, ['x'], 'b');
    const rows = one.keep.rows.bind(one.keep);
    const away = vi.spyOn(one.keep, 'rows').mockImplementationOnce(async function* (tables) {
      for await (const batch of rows(tables)) {
        yield batch;
        if (batch.table === 'statement') throw new StoreUnavailable('The database is away');
      }
    });
    const other = await node({ order: order(POD_B, POD_A) });
    await expectSoon(async () => expect(await one.labels()).toEqual(['b']));
    expect(away.mock.calls.length).toBeGreaterThan(1);
    await expectSame(one, other);
  });

  it.each([
    ['soon and silently', StoreUnavailable, 0, 250],
    ['soon and silently', StorageFailure, 0, 250],
    ['soon and silently', OutcomeUnknown, 0, 250],
    ['later, and say so,', Error, 1, 5_000],
  ])('look again %s, where what others have written cannot be read: %o', async (_, kind, said, wait) => {
    const warn = vi.fn();
    const waits: number[] = [];
    const sleep: Clock['sleep'] = (ms, signal) => {
      if (ms <= 60_000) waits.push(ms);
      return IMPATIENT.sleep(ms, signal);
    };
    const keep = (one: Keep) => {
      const tail = one.tail.bind(one);
      one.tail = (since) => (waits.length === 0 ? Promise.reject(new kind('Not now')) : tail(since));
    };
    await node({ keep, clock: { ...systemClock, sleep }, log: { warn } });
    await expectSoon(() => expect(waits.length).toBeGreaterThan(1));
    expect([warn.mock.calls.length, ...waits.slice(0, 2)]).toEqual([said, wait, 250]);
  });

  it('show all as the one started last again, where a backup brings back the order of a former one', async () => {
    const former = await node();
    await say(former, POD_A, ['x'], 'a');
    await say(former, POD_B, ['x'], 'b');
    const backup = data.backup();
    const latter = await node({ order: order(POD_B, POD_A) });
    data.restore(backup);
    for (const one of [former, latter])
      await expectSoon(async () => expect(await one.labels()).toEqual(['b']));
    await expectSame(former, latter);
    await latter.forget(POD_B);
    expect(await latter.labels()).toEqual(['a']);
  });

  it('show all as the one started last, also where its clock is behind that of one started again before', async () => {
    const former = await node();
    await former.close();
    const ahead = await node({ clock: { ...IMPATIENT, now: () => IMPATIENT.now() + 3_600_000 } });
    await say(ahead, POD_A, ['x'], 'a');
    await say(ahead, POD_B, ['x'], 'b');
    const latter = await node({ order: order(POD_B, POD_A) });
    await expectSame(ahead, latter);
    await latter.forget(POD_B);
    await expectSame(ahead, latter);
    expect(await latter.labels()).toEqual(['a']);
  });

  it('load everything anew also where the other epoch cannot be begun at once', async () => {
    const one = await node();
    const { epoch } = (await one.state()).revision;
    const backup = data.backup();
    await say(one, POD_A, ['lost']);
    vi.spyOn(one.keep, 'commit').mockRejectedValueOnce(new StoreUnavailable('Later'));
    data.restore(backup);
    await expectSoon(async () => expect(await one.labels()).toEqual([]));
    expect((await one.state()).revision.epoch).not.toBe(epoch);
  });

  it('begin another epoch when what a first try of a commit has taken in is lost before the next try', async () => {
    const [{ one }, other] = [await late(), await node()];
    await one.upsertLocal([component('first')]);
    const { epoch } = (await one.state()).revision;
    const commit = one.keep.commit.bind(one.keep);
    vi.spyOn(one.keep, 'commit').mockImplementationOnce(async (since, decide) => {
      const backup = data.backup();
      await say(other, POD_A, ['lost']);
      await commit(since, async (found) => {
        await decide(found);
        return undefined;
      });
      data.restore(backup);
      return commit(since, decide);
    });
    await one.upsertLocal([component('mine')]);
    expect(await one.labels()).toEqual(['first', 'mine']);
    expect((await one.state()).revision.epoch).not.toBe(epoch);
    await expectSame(one, other, await node());
  });

  it('never move the date of the latest change back', async () => {
    const clock = { ...IMPATIENT, now: () => IMPATIENT.now() + 60_000 };
    const [one, ahead] = [await node(), await node({ clock })];
    aroundCommits(one, async (commit, number) => {
      // The change was shown in another second, so that its date is to be moved; but the other node is first.
      if (number === 2) await say(ahead, POD_B, ['b']);
      passed = 5_000;
      return commit();
    });
    await say(one, POD_A, ['a']);
    await expectSame(one, ahead);
    expect(await ahead.labels()).toEqual(['a', 'b']);
    expect((await one.state()).revision.since).toBeGreaterThan(systemClock.now() + 50_000);
  });

  it('tell of rows that are lost while they run, and read the source again whole, as a start does', async () => {
    const warn = vi.fn();
    const one = await node({ log: { warn } });
    await say(one, POD_A, ['a', 'b']);
    for await (const { table, rows } of one.keep.rows(['statement'])) {
      const [lost] = rows.map(({ key }) => ({ table, key, value: undefined }));
      await one.keep.exclusively(async () => ({ rows: lost ? [lost] : [], result: undefined }));
    }
    const stored = () => one.source(POD_A);
    await expectSoon(async () =>
      expect((await stored())?.documents.get(`${POD_A.url}doc`)?.etag).toBeUndefined(),
    );
    expect(warn.mock.calls).toEqual([[expect.anything(), expect.stringContaining('read again whole')]]);
    await expectSame(one, await node());
  });

  it('try again to store what follows from reading all anew, and say so', async () => {
    const warn = vi.fn();
    const former = await node();
    await say(former, POD_B, ['b']);
    const backup = data.backup();
    const latter = await node({ order: order(POD_B, POD_A), log: { warn } });
    let isFull = true;
    watchWrites(latter, () => {
      if (isFull) throw new StorageFailure('There is no space');
    });
    data.restore(backup);
    await expectSoon(() =>
      expect(warn).toHaveBeenCalledWith(expect.anything(), expect.stringContaining('it is tried again')),
    );
    isFull = false;
    await expectSoon(async () => {
      await latter.forget(POD_B);
      expect(await latter.labels()).toEqual([]);
    });
    await expectSame(former, latter);
  });

  it('poll however they are configured, and leave it to the one started last which sources are forgotten', async () => {
    const former = await node();
    await say(former, POD_B, ['b']);
    const lists = { peers: [], storage: [] };
    const latter = await node({ order: order(POD_B, POD_A) });
    await expectSame(latter, former);
    await former.forget(POD_B);
    await former.setNetwork({ ...lists, peers: [{ url: PEER.url, hops: 0, via: [] }] });
    expect([await latter.labels(), (await latter.state()).network]).toEqual([['b'], lists]);
    const lease = await former.polls?.take(POD_A);
    await former.commit({ source: POD_A, documents: [], record: OK, ...(lease && { lease }) });
    await latter.forget(POD_B);
    expect(await latter.labels()).toEqual([]);
  });

  it('drop a large source together, and tell of each removal once', async () => {
    const [one, other] = [await node({ mostAtOnce: 1 }), await node({ mostAtOnce: 1 })];
    await say(one, POD_A, ['a', 'b', 'c']);
    const { position } = (await one.state()).feed;
    aroundCommits(one, async (commit, number) => {
      // The first removal was shown in another second, so that its date is to be moved; but the other node is first.
      if (number === 2) await other.forget(POD_A);
      passed = 5_000;
      return commit();
    });
    await one.forget(POD_A);
    await expectSame(one, other);
    expect((await one.state()).feed.position).toBe(position + 3);
  });
});

describe('the lease of a poll', () => {
  const poll = (name: string, lease: Awaited<ReturnType<SharedPolls['take']>>) => ({
    ...{ source: POD_A, record: { failures: 2 }, ...(lease ? { lease } : {}) },
    documents: [{ url: POD_A.url + name, components: [component(name)], record: {} }],
  });

  it('belongs to one node at a time, and what was read under one that is lost is refused', async () => {
    const [one, other] = [await node(), await node()];
    const lease = await one.polls?.take(POD_A);
    expect(await other.polls?.take(POD_A)).toBeUndefined();
    await one.commit(poll('a', lease));
    await lease?.release();
    expect(await other.polls?.take(POD_A)).toBeDefined();
    expect((await other.source(POD_A))?.record).toEqual({ failures: 2 });
    await expect(one.commit(poll('b', lease))).rejects.toThrow('another node has taken');
  });

  it('is taken anew where it has ended with commits that are found to be lost only then', async () => {
    const { one, tell } = await late();
    const other = await node();
    const before = data.backup();
    await say(one, POD_B, ['lost']);
    data.restore(before);
    const lend = one.keep.lease.bind(one.keep);
    vi.spyOn(one.keep, 'lease').mockImplementationOnce((name) => {
      tell();
      return lend(name);
    });
    const lease = await one.polls?.take(POD_A);
    expect(await other.polls?.take(POD_A)).toBeUndefined();
    await one.commit(poll('a', lease));
    expect(await one.labels()).toEqual(['a']);
  });

  it('is not kept where it could not be used', async () => {
    const [one, other] = [await node(), await node()];
    vi.spyOn(one.keep, 'tail').mockRejectedValue(new StoreUnavailable('The database is away'));
    await expect(one.polls?.take(POD_A)).rejects.toThrow(StoreUnavailable);
    expect(await other.polls?.take(POD_A)).toBeDefined();
  });

  it('ends with the history in which it was taken: no end is stored of a poll whose beginning is lost', async () => {
    const one = await node();
    const lease = await one.polls?.take(POD_A);
    const before = data.backup();
    await one.commit(poll('beginning', lease));
    data.restore(before);
    await expect(one.commit(poll('end', lease))).rejects.toThrow(LeaseLost);
    expect(await one.labels()).toEqual([]);
    await expectSame(one, await node());
  });
});
