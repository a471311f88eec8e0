import { type Source, sourceKey } from '../../component/precedence.js';
import { sameBaseUrl } from '../../config/url.js';
import type { Config } from '../../config.js';
import type { Clock } from '../../lib/clock.js';
import type { GuardedFetch } from '../../lib/fetch/guarded-fetch.js';
import type { HostQueues } from '../../lib/fetch/host-queues.js';
import type { Pace } from '../../lib/pace.js';
import type { Parsing, TaskPool } from '../../lib/pool/task.js';
import type { Catalog } from '../../registry/catalog.js';
import type { Registry } from '../../registry/registry.js';
import type { State } from '../../registry/state.js';
import { createPeerRequest, type PeerProgress, type PeerRequest } from '../peer/peer-request.js';
import type { SyncSource } from '../sync-source.js';
import { type Digests, NOTHING, PeerClaims } from './peer-claims.js';
import { PeerReadings } from './peer-readings.js';
import { type RelayRequest, readRelay } from './relay-reading.js';
import { type Readers, RelayedPod, type Said } from './relayed-pod.js';
import { inOrderFor, shareOf } from './rendezvous.js';

export interface RelaysParts {
  readonly config: Pick<Config, 'baseUrl' | 'peers' | 'sync'>;
  readonly registry: Pick<Registry, 'source'>;
  readonly catalog: Pick<Catalog, 'state' | 'statements'>;
  readonly fetch: GuardedFetch;
  readonly requests: HostQueues;
  readonly pool: TaskPool;
  readonly clock: Clock;
  readonly pace: Pace;
  /** Milliseconds between regular polls. */
  readonly interval: number;
  /** A pod is to be polled soon. */
  readonly hint: (pod: Source) => void;
  /** Lines to a pod are wanted, or are no longer. */
  readonly onRole: () => void;
}

/** With longer intervals between polls, in ms, pods are polled no less often because of what is heard: a day has only so many. */
const OFTEN = 10 * 60_000;

/** Lets two nodes read each learned pod: among this one, and the configured peers that read it (`discovery.relay`). */
export class Relays {
  readonly #parts: RelaysParts;
  readonly #request: PeerRequest;
  readonly #readings: PeerReadings;
  /** By URL. */
  readonly #pods = new Map<string, RelayedPod>();
  readonly #claims: PeerClaims;
  #isLoaded = false;
  #stored: { readonly state?: State; readonly digests: Digests } = { digests: new Map() };

  constructor(parts: RelaysParts) {
    this.#parts = parts;
    const { config, clock } = parts;
    this.#claims = new PeerClaims(parts.registry);
    this.#request = createPeerRequest({ ...parts, trust: 'configured' });
    this.#readings = new PeerReadings({
      peers: config.peers.map(({ url }) => url),
      ...{ request: this.#request, clock },
      parsing: (signal) => this.#parsing(signal),
      onChange: () => this.#reconsider(),
    });
  }

  /** A learned pod, read by this node or by others. */
  of(direct: SyncSource): SyncSource {
    const { config, clock, pace, catalog } = this.#parts;
    const { url } = direct.source;
    const pod = new RelayedPod({
      ...{ direct, clock, pace, catalog, share: shareOf(url, config.baseUrl), onRole: this.#parts.onRole },
      refresh: (progress) => this.#refresh(progress),
      readers: () => this.#readersOf(url),
      digests: (readers) => this.#digestsOf(url, readers),
      ask: async (readers, progress) => {
        for (const peer of readers) await this.#ask(peer, url, progress);
      },
      take: (peer, notBefore, progress) => readRelay({ ...this.#relay(peer, url, progress), notBefore }),
    });
    this.#pods.set(url, pod);
    return pod;
  }

  /** Is a pod left to others to read? */
  isRelayed({ kind, url }: Source): boolean {
    return kind === 'pod' && this.#pods.get(url)?.isRelayed === true;
  }

  /** Is it learned from others when a pod changes, so that it may be polled less often? */
  hears({ kind, url }: Source): boolean {
    const isOften = this.#parts.interval <= OFTEN;
    return isOften && kind === 'pod' && this.#pods.get(url)?.isSettled === true;
  }

  /** To be told after each poll of a peer: what it says of pods by now may be news. */
  async polled(source: Source): Promise<void> {
    if (source.kind !== 'peer' || !this.#isConfigured(source.url)) return;
    await this.#claims.load(source.url);
    for (const [url, pod] of this.#pods) {
      if (!pod.isRelayed) continue;
      const readers = this.#readersOf(url);
      if (!readers?.includes(source.url)) continue;
      const { stored, first, second } = await this.#digestsOf(url, readers);
      if (first !== stored || second !== stored) this.#parts.hint(pod.source);
    }
  }

  /** Forgets the pods that are not among the sources any more. */
  setSources(sources: readonly Pick<SyncSource, 'source'>[]): void {
    const pods = new Set(
      sources.filter(({ source }) => source.kind === 'pod').map(({ source }) => source.url),
    );
    for (const url of this.#pods.keys()) if (!pods.has(url)) this.#pods.delete(url);
    this.#claims.keep(pods);
  }

  #isConfigured(peer: string): boolean {
    return this.#parts.config.peers.some(({ url }) => url === peer);
  }

  async #refresh(progress: PeerProgress): Promise<void> {
    if (!this.#isLoaded) for (const { url } of this.#parts.config.peers) await this.#claims.load(url);
    this.#isLoaded = true;
    await this.#readings.refresh(progress);
  }

  #relay(peer: string, pod: string, progress: PeerProgress): Omit<RelayRequest, 'notBefore'> {
    const { config, pace } = this.#parts;
    return {
      ...{ peer, pod, progress, request: this.#request, breathe: pace() },
      maxDocuments: config.sync.maxDocuments,
      parsing: this.#parsing(progress.signal),
      onLine: (digest) => this.#claims.answered(peer, pod, digest ?? NOTHING),
    };
  }

  /** Asks a peer what it says of a pod by now, whatever it has told before. */
  async #ask(peer: string, pod: string, progress: PeerProgress): Promise<void> {
    await readRelay({ ...this.#relay(peer, pod, progress), notBefore: Number.POSITIVE_INFINITY });
  }

  /** Those that read other pods than before may have left one to this node, or taken one over. */
  #reconsider(): void {
    for (const [url, pod] of this.#pods) {
      const isRelayed = this.#readersOf(url) !== undefined;
      if (pod.isRelayed !== undefined && isRelayed !== pod.isRelayed) this.#parts.hint(pod.source);
    }
  }

  #readersOf(pod: string): Readers | undefined {
    const { baseUrl } = this.#parts.config;
    const peers = this.#readings.readersOf(pod).filter((peer) => this.#claims.has(peer));
    const [first, second] = inOrderFor(pod, [baseUrl, ...peers.filter((peer) => !isSame(peer, baseUrl))]);
    if (first === undefined || second === undefined) return undefined;
    return first === baseUrl || second === baseUrl ? undefined : [first, second];
  }

  async #digestsOf(pod: string, [first, second]: Readers): Promise<Said> {
    const stored = (await this.#storedDigests()).get(sourceKey({ kind: 'pod', url: pod })) ?? NOTHING;
    return { stored, first: this.#claims.of(first, pod), second: this.#claims.of(second, pod) };
  }

  async #storedDigests(): Promise<Digests> {
    const state = await this.#parts.catalog.state();
    if (this.#stored.state !== state) {
      const digests = new Map(state.feed.sources.map(({ source, digest }) => [sourceKey(source), digest]));
      this.#stored = { state, digests };
    }
    return this.#stored.digests;
  }

  #parsing(signal: AbortSignal): Parsing {
    return { pool: this.#parts.pool, lane: 'configured', signal };
  }
}

function isSame(one: string, other: string): boolean {
  return sameBaseUrl(one) === sameBaseUrl(other);
}
