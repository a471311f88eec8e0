import type { Metadata } from '../../src/component/metadata.js';
import { type Precedence, precedenceOf, type Source, sourceKey } from '../../src/component/precedence.js';
import { HostQueues } from '../../src/lib/fetch/host-queues.js';
import { withoutPause } from '../../src/lib/pace.js';
import { inProcess } from '../../src/lib/pool/task.js';
import type { PollReport } from '../../src/registry/poll-report.js';
import type { Following } from '../../src/registry/source-record.js';
import { createMemoryStore } from '../../src/store/memory/memory-store.js';
import { coverageOf } from '../../src/sync/coverage.js';
import { OwnReading } from '../../src/sync/discovery/own-reading.js';
import { createPeerSource } from '../../src/sync/peer/peer-source.js';
import { pollOnce } from '../../src/sync/schedule/poll-once.js';
import { StorageQuota } from '../../src/sync/schedule/storage-quota.js';
import { DirectNetwork } from './direct-fetch.js';
import type { FakeAnswer, SeenRequest } from './fake-server.js';
import { FeedServer } from './feed-server.js';
import { registryOptions, TestRegistry, VOCABULARY } from './registry.js';
import { VirtualClock } from './virtual-clock.js';

type MemoryStore = ReturnType<typeof createMemoryStore>;

export const ORIGIN = 'http://origin.example';

/** A registry on virtual time that can be restarted, and put back to what it was. */
export class RestartableRegistry {
  #store: MemoryStore = createMemoryStore();
  #registry: TestRegistry | undefined;
  #precedence: Precedence;
  #starts = 0;

  constructor(
    readonly clock: VirtualClock,
    precedence: Precedence,
  ) {
    this.#precedence = precedence;
  }

  get registry(): TestRegistry {
    if (!this.#registry) throw new Error('the registry has not been started');
    return this.#registry;
  }

  /** A copy of everything that a disk would hold. */
  get backup(): MemoryStore['data'] {
    return this.#store.data;
  }

  /** Starts it, with what it held or with a backup; sources may have other ranks than before. */
  async start(more: { data?: MemoryStore['data']; precedence?: Precedence } = {}): Promise<void> {
    await this.#registry?.close();
    if (more.data) this.#store = createMemoryStore(more.data);
    this.#precedence = more.precedence ?? this.#precedence;
    this.#starts += 1;
    const random = () => (this.#starts * 0.137) % 1;
    const options = { precedence: this.#precedence, clock: this.clock, random, pace: withoutPause };
    this.#registry = new TestRegistry(await this.#store.load(registryOptions(options)));
  }
}

/** How the reader reads. */
export interface ReaderOptions {
  readonly mode?: 'registry' | 'mirror';
  readonly maxComponents?: number;
  readonly maxDocuments?: number;
}

/** A node whose feed is faithful unless a test says otherwise, and a reader that polls it; no sockets, no real time. */
export class FollowedOrigin {
  readonly clock = new VirtualClock();
  readonly origin: RestartableRegistry;
  readonly reader: RestartableRegistry;
  readonly feed: FeedServer;
  readonly network = new DirectNetwork();
  /** What the origin answers instead, where this says so. */
  override: (request: SeenRequest) => FakeAnswer | undefined = () => undefined;
  /** Pods that the reader reads itself. */
  pods: string[] = [];
  readonly source: Source = { kind: 'peer', url: ORIGIN };
  readonly #options: ReaderOptions;
  #peer: ReturnType<typeof createPeerSource>;

  /** Both are started, and hold nothing. */
  static async open(options: ReaderOptions = {}, precedence = NO_PRECEDENCE): Promise<FollowedOrigin> {
    const pair = new FollowedOrigin(options, precedence);
    await pair.origin.start();
    await pair.reader.start();
    return pair;
  }

  private constructor(options: ReaderOptions, precedence: Precedence) {
    this.#options = options;
    this.origin = new RestartableRegistry(this.clock, precedence);
    this.reader = new RestartableRegistry(this.clock, precedenceOf({ pods: [], peers: [ORIGIN] }));
    this.feed = new FeedServer(ORIGIN, () => this.origin.registry.catalog);
    this.network.answer(ORIGIN, async (request) => this.override(request) ?? this.feed.answer(request));
    this.#peer = this.#createPeer();
  }

  #createPeer() {
    const { mode = 'registry', maxDocuments = 10_000 } = this.#options;
    return createPeerSource({
      ...{ url: ORIGIN, self: 'http://reader.example', mode, maxDocuments },
      ...{ fetch: this.network.fetch, trust: 'configured', clock: this.clock, requests: new HostQueues(2) },
      ...{ vocabulary: VOCABULARY, pool: inProcess(withoutPause), pace: withoutPause },
      coverage: () => coverageOf(this.pods),
    });
  }

  /** The reader's process starts again. */
  async restartReader(): Promise<void> {
    await this.reader.start();
    this.#peer = this.#createPeer();
  }

  /** Polls once, and stores what that brings. `acceptShrink`: an operator has accepted a loss. */
  async poll({ acceptShrink = false } = {}): Promise<PollReport> {
    const { maxComponents = 100_000 } = this.#options;
    const { registry } = this.reader;
    const quota = new StorageQuota({ maxComponents, maxLearnedComponents: maxComponents });
    quota.set(this.source, 'configured', await registry.source(this.source));
    const polling = {
      ...{ registry, catalog: registry.catalog, clock: this.clock, pace: withoutPause, quota },
      ...{ nextAttempt: () => 0, acceptsShrink: () => acceptShrink },
    };
    const { report } = await pollOnce(this.#peer, polling, new AbortController().signal);
    return report;
  }

  /** What a node does once it has read a pod itself. */
  async readsItself(pod: string): Promise<void> {
    this.pods.push(pod);
    const own = new OwnReading(this.reader.registry, withoutPause);
    for (const one of this.pods) own.add(one);
    await own.dropSuperseded(this.source);
  }

  say(source: Source, graph: string, components: readonly Metadata[]) {
    const documents = [{ url: graph, components, record: {} }];
    return this.origin.registry.commit({ source, documents, record: (record) => record });
  }

  async following(): Promise<Following | undefined> {
    return (await this.reader.registry.source(this.source))?.record.following;
  }

  /** What the origin says of its sources: source, uri and label. */
  async said(sources?: readonly Source[]): Promise<string[]> {
    const keys = sources?.map(sourceKey);
    const all = await this.origin.registry.everything();
    return all
      .filter(({ source }) => keys?.includes(sourceKey(source)) ?? true)
      .map(({ source, metadata }) => `${sourceKey(source)} ${metadata.uri} ${metadata.label}`)
      .sort();
  }

  /** What the reader has of it, in the same form. */
  async taken(): Promise<string[]> {
    const documents = (await this.reader.registry.source(this.source))?.documents;
    const all = await this.reader.registry.everything();
    return all
      .filter(({ source }) => sourceKey(source) === sourceKey(this.source))
      .map(({ document, metadata }) => `${documents?.get(document)?.of} ${metadata.uri} ${metadata.label}`)
      .sort();
  }

  /** Requests since the last look, without the origin. */
  requests(): string[] {
    return this.network.exchanges.splice(0).map(({ url, status }) => `${url.slice(ORIGIN.length)} ${status}`);
  }
}

export const NO_PRECEDENCE = precedenceOf({ pods: [], peers: [] });
