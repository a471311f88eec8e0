import fc from 'fast-check';
import { expect } from 'vitest';
import { graphKind, takenFrom } from '../../../../src/component/provenance.js';
import { LOCAL, type Source, sourceKey } from '../../../../src/component/source.js';
import { cursorOf, cursorText } from '../../../../src/core/cursor.js';
import { findPodAmong } from '../../../../src/core/find-pod.js';
import { skippedIn } from '../../../../src/core/pod-roles.js';
import { peerMemo } from '../../../../src/sync/peer/peer-memo.js';
import { DirectNetwork } from '../../../support/direct-fetch.js';
import { FeedFollower } from '../../../support/peer/feed-follower.js';
import { FeedServer } from '../../../support/peer/feed-server.js';
import { component } from '../../../support/registry.js';
import { type Backup, RestartableRegistry } from '../../../support/restartable-registry.js';
import { VirtualClock } from '../../../support/virtual-clock.js';

const ORIGIN = 'http://origin.example';
export const POD: Source = { kind: 'pod', url: 'https://pod.example/' };
const NESTED: Source = { kind: 'pod', url: 'https://pod.example/in/' };
const LEARNED: Source = { kind: 'pod', url: 'https://learned.example/' };
const PEER: Source = { kind: 'peer', url: 'https://peer.example' };
const SOURCES = [POD, NESTED, LEARNED, PEER];
const PEER_GRAPH = takenFrom(PEER.url, LOCAL.url);
/** Pods that overlap have a document in common. */
const GRAPHS = new Map([
  [sourceKey(POD), ['https://pod.example/1', 'https://pod.example/in/1']],
  [sourceKey(NESTED), ['https://pod.example/in/1', 'https://pod.example/in/2']],
  [sourceKey(LEARNED), ['https://learned.example/1', 'https://learned.example/2']],
  [sourceKey(PEER), [PEER_GRAPH, PEER_GRAPH]],
]);
/** Whom the origin has configured. */
const ORDERS = [
  { pods: [POD.url, NESTED.url], peers: [PEER.url] },
  { pods: [NESTED.url, POD.url], peers: [PEER.url] },
  { pods: [LEARNED.url], peers: [] },
] as const;
const NAMES = ['a', 'b', 'c', 'd', 'e'];
const DAY = 24 * 60 * 60 * 1000;

/** Something that happens at the origin. */
type Change =
  | { readonly kind: 'say'; readonly source: Source; readonly document: number; readonly labels: string[] }
  | { readonly kind: 'post'; readonly put: string[]; readonly remove: string[] }
  | { readonly kind: 'forget'; readonly source: Source }
  | { readonly kind: 'lists'; readonly peers: string[] };

/** Something that happens in the network. `at` counts requests of a poll. */
export type Event =
  | Change
  | { readonly kind: 'restart'; readonly order: number }
  | { readonly kind: 'back up' }
  | { readonly kind: 'restore' }
  | { readonly kind: 'years pass' }
  | { readonly kind: 'reader restarts'; readonly reader: number }
  | { readonly kind: 'reader reads a pod'; readonly pod: Source }
  | { readonly kind: 'reader stops reading pods' }
  | {
      readonly kind: 'poll';
      readonly reader: number;
      readonly pageSize: number;
      readonly during?: { readonly at: number; readonly change: Change } | undefined;
      readonly trouble?: { readonly at: number; readonly what: 'stop' | 'drop' | 'lie' } | undefined;
    };

const source = fc.constantFrom(...SOURCES);
const labels = fc.array(fc.constantFrom('', '', '1', '2'), {
  minLength: NAMES.length,
  maxLength: NAMES.length,
});
const some = fc.subarray(NAMES);
const is = <K extends string>(kind: K) => fc.constant(kind);

const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: is('say'), source, document: fc.nat(1), labels }) },
  { weight: 3, arbitrary: fc.record({ kind: is('post'), put: some, remove: some }) },
  { weight: 1, arbitrary: fc.record({ kind: is('forget'), source }) },
  { weight: 1, arbitrary: fc.record({ kind: is('lists'), peers: some }) },
);
const at = fc.integer({ min: 1, max: 5 });
const poll: fc.Arbitrary<Event> = fc.record({
  kind: is('poll'),
  reader: fc.nat(2),
  pageSize: fc.constantFrom(1, 2, 3, 1000),
  during: fc.option(fc.record({ at, change }), { nil: undefined, freq: 3 }),
  trouble: fc.option(fc.record({ at, what: fc.constantFrom('stop', 'drop', 'lie') }), {
    nil: undefined,
    freq: 4,
  }),
});
const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 10, arbitrary: change },
  { weight: 8, arbitrary: poll },
  { weight: 1, arbitrary: fc.record({ kind: is('restart'), order: fc.nat(ORDERS.length - 1) }) },
  { weight: 1, arbitrary: fc.record({ kind: is('back up') }) },
  { weight: 1, arbitrary: fc.record({ kind: is('restore') }) },
  { weight: 1, arbitrary: fc.record({ kind: is('years pass') }) },
  { weight: 1, arbitrary: fc.record({ kind: is('reader restarts'), reader: fc.nat(2) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: is('reader reads a pod'), pod: fc.constantFrom(POD, NESTED, LEARNED) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: is('reader stops reading pods') }) },
);

/** One statement, and what decides whether a reader accepts it. */
interface Said {
  readonly line: string;
  readonly graph: string;
}

/** A state of the origin, as readers should have it. */
interface Moment {
  readonly said: readonly Said[];
  readonly served: readonly string[];
}

/** An origin and its readers: two registries and a mirror. */
class World {
  readonly #clock = new VirtualClock();
  readonly #network = new DirectNetwork();
  readonly #moments = new Map<string, Moment>();
  #latest: Moment | undefined;
  readonly #feed: FeedServer;
  #backup: Backup | undefined;
  #order: (typeof ORDERS)[number] = ORDERS[0];
  /** Peers that the origin has learned. */
  #learned: readonly string[] = [];
  /** What happens with the next request. */
  #onRequest: () => Promise<'drop' | undefined> = async () => undefined;

  static async open(): Promise<World> {
    const clock = new VirtualClock();
    const order = ORDERS[0];
    const origin = new RestartableRegistry(clock, order);
    await origin.start();
    const network = new DirectNetwork();
    const open = (mode: 'registry' | 'mirror') => FeedFollower.open(ORIGIN, network, { clock, mode });
    const readers = [await open('registry'), await open('registry'), await open('mirror')];
    const world = new World(clock, network, origin, readers);
    await world.#list();
    await world.#note();
    return world;
  }

  private constructor(
    clock: VirtualClock,
    network: DirectNetwork,
    readonly origin: RestartableRegistry,
    readonly readers: readonly FeedFollower[],
  ) {
    this.#clock = clock;
    this.#network = network;
    this.#feed = new FeedServer(ORIGIN, () => origin.registry.catalog);
    this.#feed.tellsHops = true;
    this.#network.answer(ORIGIN, async (request) => {
      if ((await this.#onRequest()) === 'drop') return { drop: true };
      return this.#feed.answer(request);
    });
  }

  async close(): Promise<void> {
    for (const { store } of this.readers) await store.stop();
    await this.origin.stop();
  }

  async happens(event: Event): Promise<void> {
    if (event.kind === 'poll') return this.#poll(event);
    if (event.kind === 'reader restarts') return this.readers[event.reader]?.restart();
    // The first reader reads pods itself now and then; the second one never does.
    if (event.kind === 'reader reads a pod') return this.readers[0]?.readsItself(event.pod.url);
    if (event.kind === 'reader stops reading pods') {
      for (const reader of this.readers) await reader.readsNoPods();
      return;
    }
    await this.#changeOrigin(event);
    await this.#note();
  }

  async #changeOrigin(event: Exclude<Event, { kind: 'poll' | `reader ${string}` }>): Promise<void> {
    const { registry } = this.origin;
    if (event.kind === 'restart') {
      this.#order = ORDERS[event.order] ?? ORDERS[0];
      await this.origin.start({ order: this.#order });
      return this.#list();
    }
    if (event.kind === 'back up') {
      this.#backup = this.origin.backup;
    } else if (event.kind === 'restore') {
      if (!this.#backup) return;
      await this.origin.start({ data: this.#backup });
      await this.#list();
    } else if (event.kind === 'years pass') {
      this.#clock.pass(200 * DAY);
    } else if (event.kind === 'forget') {
      await registry.forget(event.source);
    } else if (event.kind === 'lists') {
      this.#learned = event.peers;
      await this.#list();
    } else if (event.kind === 'post') {
      const put = event.put.map((name) => component(name, { label: `posted ${name}` }));
      await registry.commitOwn({ put, remove: event.remove.map((name) => component(name).uri) });
    } else {
      const url = GRAPHS.get(sourceKey(event.source))?.[event.document] ?? '';
      const components = NAMES.flatMap((name, i) => {
        const label = event.labels[i];
        return label ? [component(name, { label: `${label} of ${url}` })] : [];
      });
      const documents = [{ url, components, record: {} }];
      await registry.commit({ source: event.source, documents, record: (record) => record });
    }
  }

  /** The origin lists whom it knows: first whom it has configured. */
  #list(): Promise<void> {
    const { pods, peers } = this.#order;
    const named = (urls: readonly string[], hops: number) => urls.map((url) => ({ url, hops, via: [] }));
    const learned = this.#learned.map((name) => `https://${name}.example`);
    const lists = { peers: [...named(peers, 0), ...named(learned, 1)], storage: named(pods, 0) };
    return this.origin.registry.setNetwork(lists);
  }

  /** Notes what the origin says in its present state. */
  async #note(): Promise<void> {
    const { registry } = this.origin;
    const said = (await registry.everything()).map(({ source, document, metadata }) => ({
      line: `${sourceKey(source)} ${metadata.uri} ${metadata.label}`,
      graph: document,
    }));
    const served = (await registry.list()).map(({ uri, label }) => `${uri} ${label}`);
    this.#latest = { said, served };
    this.#moments.set(cursorText(cursorOf(await registry.state())), this.#latest);
  }

  async #poll({ reader: number, pageSize, during, trouble }: Event & { kind: 'poll' }): Promise<void> {
    const reader = this.readers[number] as FeedFollower;
    this.#feed.pageSize = pageSize;
    const stop = new AbortController();
    let requests = 0;
    let lies = 0;
    this.#onRequest = async () => {
      requests += 1;
      if (during?.at === requests) {
        await this.#changeOrigin(during.change);
        await this.#note();
      }
      if (trouble?.at !== requests) return undefined;
      if (trouble.what === 'stop') stop.abort(new Error('the process ends'));
      if (trouble.what === 'lie') lies = 1;
      return trouble.what === 'drop' ? 'drop' : undefined;
    };
    this.#feed.tamper = (page) => {
      if (lies === 0 || !page.changes?.length) return page;
      lies = 0;
      return { ...page, changes: page.changes.slice(1) };
    };
    const report = await reader.poll({ stop: stop.signal }).catch((error: Error) => error);
    this.#onRequest = async () => undefined;
    this.#feed.tamper = (page) => page;
    if (report instanceof Error) expect(report.message).toContain('the process ends');
    const isStopped = report instanceof Error;
    await this.check(reader, !isStopped && report.ok, !isStopped);
  }

  /** What a reader has is what the origin said in the state that the reader names: nothing less, nothing more. */
  async check(reader: FeedFollower, isComplete: boolean, isEnded = true): Promise<void> {
    const stored = await reader.stored();
    const cursor = peerMemo(stored?.record).feed?.cursor;
    if (cursor === undefined) return;
    const moment = this.#moments.get(cursor);
    expect(moment).toBeDefined();
    const coverage = findPodAmong(reader.pods);
    const isMirror = reader === this.readers[2];
    const accepted = (moment?.said ?? []).filter(
      ({ graph }) => isMirror || (graphKind(graph) !== 'taken' && coverage(graph) === undefined),
    );
    // What is refused may have been refused since the latest poll: pods that are not read any more are read next time.
    const refused = new Set(skippedIn(stored?.record ?? {}));
    // What this node has begun to read itself goes with the next poll, and not with one that was stopped.
    const going = new Set(isEnded ? [] : (moment?.said ?? []).map(({ line }) => line));
    for (const { line } of accepted) going.delete(line);
    const taken = (await reader.taken()).filter((line) => !going.has(line));
    if (refused.size === 0) expect(taken).toEqual(accepted.map(({ line }) => line).sort());
    else expect(accepted.map(({ line }) => line)).toEqual(expect.arrayContaining(taken));
    // Without the lists of the origin, a mirror serves by the order that they told before.
    if (!isMirror || !isComplete) return;
    const served = (await reader.registry.list()).map(({ uri, label }) => `${uri} ${label}`);
    // The lists of the origin, which tell the order, may have been read a moment later.
    expect([moment?.served, this.#latest?.served]).toContainEqual(served);
  }

  /** In the end, everybody has all. */
  async settle(): Promise<void> {
    this.#feed.pageSize = 1000;
    for (const reader of this.readers) {
      expect(await reader.poll()).toMatchObject({ ok: true });
      await this.check(reader, true);
      const cursor = cursorText(cursorOf(await this.origin.registry.state()));
      const { record } = (await reader.stored()) ?? {};
      expect(peerMemo(record).feed?.cursor).toBe(cursor);
      const coverage = findPodAmong(reader.pods);
      expect(skippedIn(record ?? {}).filter((pod) => coverage(pod) === undefined)).toEqual([]);
    }
  }
}

export const feedEvents = fc.array(event, { minLength: 5, maxLength: 30 });

/** Lets events happen, and checks after each poll that what the reader has is what the origin said. */
export async function runHistory(events: readonly Event[]): Promise<void> {
  const world = await World.open();
  try {
    for (const each of events) await world.happens(each);
    await world.settle();
  } finally {
    await world.close();
  }
}
