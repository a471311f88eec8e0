import type { Metadata } from '../../src/component/metadata.js';
import { digestElement, payloadHash } from '../../src/component/statement-digest.js';
import { LtHash } from '../../src/lib/lt-hash.js';
import { withoutPause } from '../../src/lib/pace.js';
import type { SourceRecord, StoredSource } from '../../src/registry/source-record.js';
import { type Said as Digests, type Readers, RelayedPod } from '../../src/sync/relay/relayed-pod.js';
import { pollOnce } from '../../src/sync/schedule/poll-once.js';
import { StorageQuota } from '../../src/sync/schedule/storage-quota.js';
import type { PollResult, SyncSource } from '../../src/sync/sync-source.js';
import { cleanup } from './cleanup.js';
import { component, memoryRegistry, type TestRegistry } from './registry.js';
import { VirtualClock } from './virtual-clock.js';

export const POD = 'https://pod.example/';
const SOURCE = { kind: 'pod', url: POD } as const;

/** What documents of the pod say, by their names. */
export type Said = Readonly<Record<string, string>>;

/** What one who reads the pod has seen, and when, by the pod's clock. */
interface Seen {
  said: Said;
  /** Absent when it does not read the pod itself any more. */
  observed: number | undefined;
}

/** A learned pod that others may read for a node, with all of them on paper, and the node's own registry and polls. */
export class RelayRig {
  readonly clock: VirtualClock;
  readonly registry: TestRegistry;
  readonly peers: Record<string, Seen> = { a: { said: {}, observed: 0 }, b: { said: {}, observed: 0 } };
  /** What is in the pod, whose clock is an hour ahead of the node's. */
  pod: Said = {};
  podFails = false;
  /** Why nothing can be taken from anybody. */
  breaks: string | undefined;
  readers: Readers | undefined = ['a', 'b'];
  /** What peers have told in their feeds, where that is not what they say when they are asked. */
  told: Record<string, Said> = {};
  /** How often the node has read the pod itself, and roles that it has taken on. */
  reads = 0;
  roles = 0;
  readonly #relayed: RelayedPod;
  readonly #quota = new StorageQuota({ maxComponents: 1000, maxLearnedComponents: 1000 });

  static async open(): Promise<RelayRig> {
    const clock = new VirtualClock();
    const rig = new RelayRig(clock, await memoryRegistry({ clock }));
    cleanup(() => rig.registry.close());
    return rig;
  }

  private constructor(clock: VirtualClock, registry: TestRegistry) {
    this.clock = clock;
    this.registry = registry;
    this.#relayed = this.restarted();
    this.#quota.set(SOURCE, 'learned', undefined);
  }

  /** As after a start of the node. */
  restarted(): RelayedPod {
    return new RelayedPod({
      ...{ direct: this.direct, clock: this.clock, pace: withoutPause, catalog: this.registry.catalog },
      refresh: async () => undefined,
      readers: () => this.readers,
      digests: (readers) => this.#digests(readers),
      ask: async () => {
        this.told = {};
      },
      take: async (peer, notBefore) => {
        const { said, observed } = this.#seen(peer);
        if (this.breaks !== undefined) return { kind: 'failed', message: this.breaks };
        if (observed === undefined) return { kind: 'unread' };
        return observed < notBefore
          ? { kind: 'older' }
          : { kind: 'read', observed, documents: documentsOf(said) };
      },
      share: 0,
      onRole: () => {
        this.roles += 1;
      },
    });
  }

  /** Reads the pod, and nobody else. */
  get direct(): SyncSource {
    return { source: SOURCE, trust: 'learned', poll: (stored) => this.#read(stored) };
  }

  get isRelayed(): boolean | undefined {
    return this.#relayed.isRelayed;
  }

  /** The time of the pod. */
  get podTime(): number {
    return this.clock.now() + 3_600_000;
  }

  /** The author writes. */
  write(said: Said): void {
    this.pod = said;
  }

  /** One who reads the pod has just read it; or says so. */
  sees(peer: string, said: Said = this.pod): void {
    this.peers[peer] = { said, observed: this.podTime };
  }

  async poll(source: SyncSource = this.#relayed) {
    const polling = {
      ...{ registry: this.registry, catalog: this.registry.catalog, clock: this.clock },
      ...{ pace: withoutPause, quota: this.#quota },
      nextAttempt: () => this.clock.now(),
      acceptsShrink: () => true,
    };
    return (await pollOnce(source, polling, new AbortController().signal)).report;
  }

  /** What the node says of the pod. */
  labels(): Promise<string[]> {
    return this.registry.labels();
  }

  async record(): Promise<SourceRecord> {
    return (await this.registry.source(SOURCE))?.record ?? { failures: 0 };
  }

  #seen(peer: string): Seen {
    const seen = this.peers[peer];
    if (!seen) throw new Error(`nobody is called ${peer}`);
    return seen;
  }

  async #read(stored: StoredSource | undefined): Promise<PollResult> {
    this.reads += 1;
    if (this.podFails) return { documents: [], failure: { message: 'answers 500' } };
    const documents = [...documentsOf(this.pod)].map(([url, components]) => ({
      ...{ url, components, record: { etag: `"${this.pod[nameOf(url)]}"` } },
    }));
    const gone = [...(stored?.documents.keys() ?? [])].filter((url) => !(nameOf(url) in this.pod));
    const observed = { from: this.podTime, until: this.podTime };
    return { documents: [...documents, ...gone.map((url) => ({ url, record: null }))], observed };
  }

  async #digests([first, second]: Readers): Promise<Digests> {
    const { feed } = await this.registry.state();
    const stored = feed.sources.find(({ source }) => source.kind === 'pod')?.digest ?? digestOf({});
    const saidBy = (peer: string) => digestOf(this.told[peer] ?? this.#seen(peer).said);
    return { stored, first: saidBy(first), second: saidBy(second) };
  }
}

function documentsOf(said: Said): Map<string, Metadata[]> {
  return new Map(Object.entries(said).map(([name, label]) => [POD + name, [component(name, { label })]]));
}

function nameOf(url: string): string {
  return url.slice(POD.length);
}

function digestOf(said: Said): string {
  const hash = LtHash.empty();
  for (const [document, components] of documentsOf(said)) {
    for (const one of components) hash.add(digestElement({ document, uri: one.uri, hash: payloadHash(one) }));
  }
  return hash.digest();
}
