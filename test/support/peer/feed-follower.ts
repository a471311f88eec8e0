import type { Source } from '../../../src/component/source.js';
import { findPodAmong } from '../../../src/core/find-pod.js';
import type { StoredSource } from '../../../src/core/source-record.js';
import type { StatementRules } from '../../../src/core/take.js';
import { withoutPause } from '../../../src/lib/pace.js';
import { inProcess, type TaskPool } from '../../../src/lib/pool/task.js';
import { createPeerReader } from '../../../src/sync/peer/peer-reader.js';
import type { DirectNetwork } from '../direct-fetch.js';
import { type Polled, pollReader } from '../read-source.js';
import { VOCABULARY } from '../registry.js';
import { RestartableRegistry } from '../restartable-registry.js';
import type { VirtualClock } from '../virtual-clock.js';

/** How a follower reads. */
export interface FollowerOptions {
  readonly mode?: 'registry' | 'mirror';
  readonly maxComponents?: number;
  readonly maxDocuments?: number;
}

/** A node that reads one peer: what is real of it is the peer source, the end of polls, and the registry. */
export class FeedFollower {
  /** Pods that it reads itself. */
  pods: string[] = [];
  /** Where it parses what comes. */
  pool: TaskPool = inProcess(withoutPause);
  readonly source: Source;
  readonly #network: DirectNetwork;
  #peer: ReturnType<typeof createPeerReader>;

  /** @param peer the peer's URL */
  static async open(
    peer: string,
    network: DirectNetwork,
    options: FollowerOptions & { readonly clock: VirtualClock },
  ): Promise<FeedFollower> {
    const store = new RestartableRegistry(options.clock, { pods: [], peers: [peer] });
    await store.start();
    return new FeedFollower(peer, network, store, options);
  }

  private constructor(
    peer: string,
    network: DirectNetwork,
    readonly store: RestartableRegistry,
    /** How it reads; the mode from its next start on. */
    public options: FollowerOptions,
  ) {
    this.source = { kind: 'peer', url: peer };
    this.#network = network;
    this.#peer = this.#createPeer();
  }

  get registry(): RestartableRegistry['registry'] {
    return this.store.registry;
  }

  #createPeer() {
    const { mode = 'registry', maxDocuments = 10_000 } = this.options;
    const { clock } = this.store;
    return createPeerReader({
      epoch: async () => 'itself',
      ...{ url: this.source.url, self: 'http://follower.example', mode, maxDocuments },
      ...{ fetch: this.#network.fetch, trust: 'configured', clock },
      ...{ vocabulary: VOCABULARY },
      pool: { run: (...args) => this.pool.run(...args) },
    });
  }

  get #rules(): StatementRules {
    return { read: findPodAmong(this.pods) };
  }

  /** Its process starts again. */
  async restart(): Promise<void> {
    await this.store.start();
    this.#peer = this.#createPeer();
  }

  /** Polls once, and stores what that brings. Rejects when it is stopped. `acceptShrink`: an operator accepts a loss. */
  poll({ acceptShrink = false, stop = new AbortController().signal } = {}): Promise<Polled> {
    const { maxComponents, mode } = this.options;
    const rules = { ...this.#rules, peer: this.source.url, isMirror: mode === 'mirror' };
    const circumstances = { rules, maxComponents, acceptsShrink: acceptShrink, signal: stop };
    return pollReader(this.registry, this.#peer, this.store.clock, circumstances);
  }

  /** It has read a pod itself: the next poll drops what it has of it. */
  readsItself(pod: string): void {
    this.pods.push(pod);
  }

  /** It reads no pods itself any more. */
  async readsNoPods(): Promise<void> {
    this.pods = [];
    await this.registry.commit({
      source: this.source,
      documents: [],
      record: ({ memo: _, ...record }) => record,
    });
  }

  stored(): Promise<StoredSource | undefined> {
    return this.registry.source(this.source);
  }

  /** What it has of the peer: the peer's source, the uri and the label. */
  async taken(): Promise<string[]> {
    const taken: string[] = [];
    for (const [document, { of }] of (await this.stored())?.documents ?? [])
      for (const { metadata } of await this.registry.catalog.said(this.source, document))
        taken.push(`${of} ${metadata.uri} ${metadata.label}`);
    return taken.sort();
  }
}
