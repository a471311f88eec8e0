import { type Source, sourceKey } from '../../component/source.js';
import type { Config } from '../../config.js';
import type { DocumentChange } from '../../core/document-change.js';
import { type FindPod, findPodAmong } from '../../core/find-pod.js';
import { PodReaders } from '../../core/pod-readers.js';
import { precedenceOf } from '../../core/precedence.js';
import type { SourceRecord, StoredSource } from '../../core/source-record.js';
import { type StatementRules, takeStatement } from '../../core/take.js';
import type { Clock } from '../../lib/clock.js';
import { compareText } from '../../lib/compare-text.js';
import type { Pace } from '../../lib/pace.js';
import { portions } from '../../lib/portions.js';
import { FORGOTTEN_AT_ONCE } from '../../registry/forgetting.js';
import type { Registry } from '../../registry/registry.js';
import { dropRefused, union, withRefused } from '../refused-graphs.js';
import { Debounce } from './debounce.js';

export interface PeerFilterOptions {
  readonly config: Pick<Config, 'mode' | 'peers'>;
  readonly registry: Pick<Registry, 'commit' | 'source'>;
  /** The pods that a peer reads itself, as `sourceKey`s, by what is stored of it; unknown when absent. */
  readonly podsReadBy?: (record: SourceRecord | undefined) => ReadonlySet<string>;
  /** Told of each peer that is to be asked again, because something of it is taken now that was not. */
  readonly onWanting?: (peer: Source) => void;
  /** Called when `followChanges` is to be called. */
  readonly follow: () => void;
  readonly clock: Clock;
  /** Milliseconds between regular polls. */
  readonly interval: number;
  readonly pace: Pace;
}

/** What one commit drops. */
const AT_ONCE = { items: FORGOTTEN_AT_ONCE, length: FORGOTTEN_AT_ONCE };
/** A peer whose polls have failed so often in a row is not relied on to pass a pod on. */
const UNRELIABLE = 3;
/** A pod whose first poll has not ended by then is waited for no longer, in ms: its host may be slow, or the queue long. */
const LONGEST_WAIT = 3 * 60_000;

/**
 * Keeps of what peers say what is taken of it (`core/take.ts`). It knows which pods this node reads, and who else does; when
 * that changes, it drops what is not taken any more, and has those peers asked again of whom more is taken.
 */
export class PeerFilter {
  readonly #options: PeerFilterOptions;
  readonly #read = new PodSet();
  /** Pods that are to be read for the first time, and since when, the longest first. */
  readonly #awaited = new PodSet();
  readonly #readers: PodReaders;
  #operator: StatementRules['operator'];
  readonly #changes: Debounce;
  /** URLs of peers of which something else is taken than before; `all` when it may be any. */
  #changed: Set<string> | 'all' = new Set();
  /** By peer, what was refused of it and is taken now, for which it has been asked again already. */
  readonly #asked = new Map<string, ReadonlySet<string>>();

  constructor(options: PeerFilterOptions) {
    this.#options = options;
    const { rank } = precedenceOf({ pods: [], peers: options.config.peers.map(({ url }) => url) });
    this.#readers = new PodReaders(
      (one, other) => rank(peerAt(one)) - rank(peerAt(other)) || compareText(one, other),
    );
    this.#changes = new Debounce(options);
  }

  /** Among the pods that this node has read itself. */
  get findRead(): FindPod {
    return this.#read.find;
  }

  /** By what rules statements of a peer are taken, as of now. */
  rulesFor(peer: string): StatementRules {
    return {
      read: this.#read.find,
      awaited: this.#findAwaited(),
      operator: this.#operator,
      isFromOthers: (of) => this.#readers.isTakenElsewhere(peer, of),
    };
  }

  /** The operator's rules have changed; `dropRefused` is to be called. */
  set operator(operator: NonNullable<StatementRules['operator']>) {
    this.#operator = operator;
  }

  /** Pods are going to be read from now on. */
  await(pods: Iterable<{ readonly url: string }>): void {
    for (const { url } of pods) this.#awaited.add(url, this.#options.clock.now());
  }

  /** What was found at the start: a pod was read before, or that was tried. */
  found(pod: string, wasRead: boolean): void {
    this.#awaited.delete(pod);
    if (wasRead) this.#read.add(pod);
  }

  podPolled(pod: string, ok: boolean): void {
    const wasAwaited = this.#awaited.delete(pod);
    const isNews = ok ? this.#read.add(pod) : wasAwaited && !this.#read.has(pod);
    if (isNews) this.#note('all');
  }

  /** Takes into account which pods a peer reads, by what is stored of it; what follows for others is done soon. */
  follow({ url }: Pick<Source, 'url'>, record: SourceRecord | undefined): void {
    const { podsReadBy, config } = this.#options;
    if (config.mode === 'mirror') return;
    const isReliable = record !== undefined && record.failures < UNRELIABLE;
    const { more, less } = this.#readers.follow(url, (isReliable && podsReadBy?.(record)) || new Set());
    for (const peer of [...more.keys(), ...less]) this.#note(peer);
  }

  /** Takes a poll of a peer into account, as it is stored: what is taken may have changed while it went on. */
  async peerPolled(peer: Source): Promise<SourceRecord | undefined> {
    const stored = await this.#dropRefusedOf(peer);
    this.#askAgain(peer, stored?.record);
    this.follow(peer, stored?.record);
    return stored?.record;
  }

  /** What is forgotten of a source is neither read nor passed on any more. */
  forget({ kind, url }: Source): void {
    if (kind === 'peer') {
      this.#asked.delete(url);
      this.follow({ url }, undefined);
    } else {
      this.#awaited.delete(url);
      this.#read.delete(url);
    }
  }

  /** Does what follows from changes until now. @param peers all peers that are read */
  async followChanges(peers: readonly Source[]): Promise<void> {
    if (!this.#changes.take()) return;
    const changed = this.#changed;
    this.#changed = new Set();
    for (const peer of peers) {
      if (changed !== 'all' && !changed.has(peer.url)) continue;
      this.#askAgain(peer, (await this.#dropRefusedOf(peer))?.record);
    }
  }

  /** Drops what is not taken any more. */
  async dropRefused(peers: readonly Source[]): Promise<void> {
    for (const peer of peers) await this.#dropRefusedOf(peer);
  }

  #note(peer: string): void {
    if (peer === 'all') this.#changed = 'all';
    else if (this.#changed !== 'all') this.#changed.add(peer);
    this.#changes.note();
  }

  /** Once it has been waited long enough, peers may be asked. */
  #findAwaited(): FindPod {
    const now = this.#options.clock.now();
    for (const [pod, since] of this.#awaited.pods) {
      if (now >= since && now - since < LONGEST_WAIT) break;
      this.#awaited.delete(pod);
      this.#note('all');
    }
    return this.#awaited.find;
  }

  /** @returns what was stored. A mirror shows what its upstreams show. */
  async #dropRefusedOf(peer: Source): Promise<StoredSource | undefined> {
    const { config, registry, pace } = this.#options;
    const stored = await registry.source(peer);
    if (config.mode === 'mirror') return stored;
    const rules = { ...this.rulesFor(peer.url), peer: peer.url, isMirror: false };
    const { documents, skipped, refused } = await dropRefused(stored, rules, pace());
    const sizeOf = ({ url }: DocumentChange) => stored?.documents.get(url)?.components ?? 0;
    for (const some of portions(documents, sizeOf, AT_ONCE)) {
      await registry.commit({
        source: peer,
        documents: some,
        record: (current) => ({
          ...current,
          skipped: union(current.skipped ?? [], skipped),
          refused: withRefused(current.refused, refused),
        }),
      });
    }
    return stored;
  }

  /**
   * Has a peer asked again if something was refused of it that is taken now: once, because the record of a peer whose
   * listing cannot be read to its end goes on naming it as refused.
   */
  #askAgain(peer: Source, record: SourceRecord | undefined): void {
    const { config, onWanting } = this.#options;
    if (config.mode === 'mirror') return;
    const rules = this.rulesFor(peer.url);
    const asked = this.#asked.get(peer.url);
    const wanted = (record?.skipped ?? []).filter((url) => {
      const pod = { graph: url, of: sourceKey({ kind: 'pod', url }), isStored: false };
      return takeStatement(pod, rules) === 'taken';
    });
    this.#asked.set(peer.url, new Set(wanted));
    if (wanted.some((pod) => !asked?.has(pod))) onWanting?.(peer);
  }
}

/** Pods, and among them the one that speaks for a document. */
class PodSet {
  readonly #pods = new Map<string, number>();
  /** Made when it is asked for: at the start, a thousand pods are added one after the other. */
  #find: FindPod | undefined;

  get pods(): ReadonlyMap<string, number> {
    return this.#pods;
  }

  get find(): FindPod {
    this.#find ??= findPodAmong(this.#pods.keys());
    return this.#find;
  }

  has(pod: string): boolean {
    return this.#pods.has(pod);
  }

  /** @returns whether it was not there */
  add(pod: string, since = 0): boolean {
    if (this.#pods.has(pod)) return false;
    this.#pods.set(pod, since);
    this.#find = undefined;
    return true;
  }

  /** @returns whether it was there */
  delete(pod: string): boolean {
    if (!this.#pods.delete(pod)) return false;
    this.#find = undefined;
    return true;
  }
}

function peerAt(url: string): Source {
  return { kind: 'peer', url };
}
