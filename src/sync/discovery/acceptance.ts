import { precedenceOf, type Source } from '../../component/precedence.js';
import type { Config } from '../../config.js';
import type { Clock } from '../../lib/clock.js';
import type { Pace } from '../../lib/pace.js';
import type { Registry } from '../../registry/registry.js';
import type { SourceRecord } from '../../registry/source-record.js';
import type { Coverage } from '../coverage.js';
import type { Refusing } from '../relay-policy.js';
import { GatheredChanges } from './gathered-changes.js';
import { OwnReading } from './own-reading.js';
import { PodReaders } from './pod-readers.js';

export interface AcceptanceOptions {
  readonly config: Pick<Config, 'mode' | 'peers'>;
  readonly registry: Pick<Registry, 'commit' | 'source'>;
  /** The pods that a peer reads itself, as `sourceKey`s, by what is stored of it; unknown when absent. */
  readonly podsReadBy?: (record: SourceRecord | undefined) => ReadonlySet<string>;
  /** Told of each peer that is to be asked again, because something of it is taken now that was not. */
  readonly onWanting?: (peer: Source) => void;
  /** Called when something is to be done: see `Acceptance.followGathered`. */
  readonly follow: () => void;
  readonly clock: Clock;
  /** Milliseconds between regular polls. */
  readonly interval: number;
  readonly pace: Pace;
}

/** Who has failed so often in a row is not relied on to pass a pod on. */
const UNRELIABLE = 3;

/**
 * What is taken of what peers pass on: no pod that this node reads itself, nothing that the operator has said no to, and of
 * the other pods each from two peers. Drops what is not taken any more, and has peers asked again for what is.
 */
export class Acceptance {
  readonly #options: AcceptanceOptions;
  readonly #own: OwnReading;
  readonly #readers: PodReaders;
  /** What the operator does not want, whoever passes it on. */
  #denial: Coverage = () => undefined;
  /** Pods that were read for the first time, and those that could not be. */
  readonly #read: GatheredChanges;
  readonly #failed: GatheredChanges;
  /** Peers from which less is taken, and the pods that are taken from others now. */
  readonly #roles: GatheredChanges;
  readonly #less = new Set<string>();
  readonly #more = new Map<string, Set<string>>();

  constructor(options: AcceptanceOptions) {
    this.#options = options;
    this.#own = new OwnReading(options.registry, options);
    const { compare } = precedenceOf({ pods: [], peers: options.config.peers.map(({ url }) => url) });
    this.#readers = new PodReaders((one, other) => compare(peerAt(one), peerAt(other)));
    const gathered = () => new GatheredChanges(options);
    [this.#read, this.#failed, this.#roles] = [gathered(), gathered(), gathered()];
  }

  /** The pods that this node has read itself, and those that it is about to read for the first time. */
  get own(): OwnReading {
    return this.#own;
  }

  set denial(denial: Coverage) {
    this.#denial = denial;
  }

  /** What is refused of a peer, as of now: see `relayPolicy`. */
  of(peer: string): Refusing {
    const [own, denial] = [this.#own.coverage, this.#denial];
    return {
      notAccepted: (document) => own(document) ?? denial(document),
      awaited: this.#own.awaited,
      isTakenElsewhere: (of) => this.#readers.isTakenElsewhere(peer, of),
    };
  }

  /** Takes into account what is stored of a peer; what follows for others is done soon. */
  follow({ url }: Pick<Source, 'url'>, record: SourceRecord | undefined): void {
    const { podsReadBy, config } = this.#options;
    if (config.mode === 'mirror') return;
    const isReliable = record !== undefined && record.failures < UNRELIABLE;
    const { more, less } = this.#readers.follow(url, (isReliable && podsReadBy?.(record)) || new Set());
    for (const peer of less) this.#less.add(peer);
    for (const [peer, pods] of more) {
      const known = this.#more.get(peer) ?? new Set();
      this.#more.set(peer, new Set([...known, ...pods]));
    }
    if (more.size + less.size > 0) this.#roles.note();
  }

  /** Takes a poll of a peer into account, as it is stored. */
  async peerPolled(peer: Source): Promise<SourceRecord | undefined> {
    await this.#dropUnacceptedOf(peer);
    const stored = await this.#options.registry.source(peer);
    // The pod may have failed while this poll went on.
    this.#askForFailed(peer, stored?.record);
    this.follow(peer, stored?.record);
    return stored?.record;
  }

  podPolled(pod: string, ok: boolean): void {
    if (!ok && this.#own.fail(pod)) this.#failed.note();
    if (ok && this.#own.add(pod)) this.#read.note();
  }

  /** What is forgotten of a source is neither read nor passed on any more. */
  forget({ kind, url }: Source): void {
    if (kind === 'pod') this.#own.delete(url);
    else this.follow({ url }, undefined);
  }

  /** Does what has waited for company. @param peers all peers that are read */
  async followGathered(peers: readonly Source[]): Promise<void> {
    if (this.#read.take()) await this.dropUnaccepted(peers);
    if (this.#failed.take()) await this.#askAgain(peers);
    if (this.#roles.take()) await this.#followRoles(peers);
  }

  /** Drops what is not accepted from peers any more. */
  async dropUnaccepted(peers: readonly Source[]): Promise<void> {
    this.#read.take();
    for (const peer of peers) await this.#dropUnacceptedOf(peer);
  }

  /** A mirror shows what its upstreams show. */
  async #dropUnacceptedOf(peer: Source): Promise<void> {
    if (this.#options.config.mode === 'registry') await this.#own.dropSuperseded(peer, this.of(peer.url));
  }

  /** What was not taken of pods because they were to be read here is wanted where that has failed. */
  async #askAgain(peers: readonly Source[]): Promise<void> {
    for (const peer of peers) {
      const stored = await this.#options.registry.source(peer);
      this.#askForFailed(peer, stored?.record);
    }
  }

  #askForFailed(peer: Source, record: SourceRecord | undefined): void {
    const { isTakenElsewhere } = this.of(peer.url);
    if (this.#own.takeWanted(peer.url, record, isTakenElsewhere)) this.#options.onWanting?.(peer);
  }

  async #followRoles(peers: readonly Source[]): Promise<void> {
    const [less, more] = [new Set(this.#less), new Map(this.#more)];
    this.#less.clear();
    this.#more.clear();
    for (const peer of peers) {
      const pods = [...(more.get(peer.url) ?? [])];
      const record = pods.length === 0 ? undefined : (await this.#options.registry.source(peer))?.record;
      const isWanted = (pod: string) =>
        Object.hasOwn(record?.refused ?? {}, pod) && !this.#readers.isTakenElsewhere(peer.url, pod);
      if (pods.some(isWanted)) this.#options.onWanting?.(peer);
      if (less.has(peer.url)) await this.#dropUnacceptedOf(peer);
    }
  }
}

function peerAt(url: string): Source {
  return { kind: 'peer', url };
}
