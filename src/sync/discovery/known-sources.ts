import { type Source, sourceKey } from '../../component/source.js';
import type { Config } from '../../config.js';
import type { KnownPeer, KnownPod } from '../../core/pod-roles.js';
import { precedenceOf } from '../../core/precedence.js';
import type { SourceRecord, StoredSource } from '../../core/source-record.js';
import { type Clock, elapsed } from '../../lib/clock.js';
import { compareText } from '../../lib/compare-text.js';

export interface KnownSourcesOptions {
  readonly config: Pick<Config, 'mode' | 'peers'>;
  readonly clock: Pick<Clock, 'now'>;
  /** The pods that a peer reads itself, as `sourceKey`s, by what is stored of it; unknown when absent. */
  readonly podsReadBy?: (record: SourceRecord | undefined) => ReadonlySet<string>;
}

/** A peer whose polls have failed so often in a row is not relied on to pass a pod on, and for so long afterwards, in ms. */
const UNRELIABLE = { failures: 3, ms: 60 * 60_000 } as const;
/** A pod whose first poll has not ended by then is waited for no longer, in ms: its host may be slow, or the queue long. */
const LONGEST_WAIT = 3 * 60_000;

export interface SourcesView {
  readonly pods: readonly KnownPod[];
  /** In the order of precedence. */
  readonly peers: readonly KnownPeer[];
}

/** What the records of the sources that are read say about who reads which pods. */
export class KnownSources {
  readonly #options: KnownSourcesOptions;
  readonly #compare: (one: Source, other: Source) => number;
  /** By key of the sources that are read: since when, and, of peers, when they were found failing last. */
  #since = new Map<string, number>();
  #failed = new Map<string, number>();

  constructor(options: KnownSourcesOptions) {
    this.#options = options;
    const { rank } = precedenceOf({ pods: [], peers: options.config.peers.map(({ url }) => url) });
    this.#compare = (one, other) => rank(one) - rank(other) || compareText(one.url, other.url);
  }

  /** As of now. A mirror takes everything of whom it reads, so that nothing follows from who else does. */
  view(read: readonly Source[], stored: readonly StoredSource[]): SourcesView {
    if (this.#options.config.mode === 'mirror') return { pods: [], peers: [] };
    const now = this.#options.clock.now();
    const records = new Map(stored.map(({ source, record }) => [sourceKey(source), record]));
    this.#since = new Map(read.map(sourceKey).map((key) => [key, this.#since.get(key) ?? now]));
    const isPeer = ({ kind }: Source) => kind === 'peer';
    return {
      pods: read
        .filter((source) => !isPeer(source))
        .map((pod) => ({ url: pod.url, state: this.#stateOf(pod, records.get(sourceKey(pod)), now) })),
      peers: read
        .filter(isPeer)
        .toSorted(this.#compare)
        .map((peer) => this.#peer(peer, records.get(sourceKey(peer)), now)),
    };
  }

  #stateOf(pod: Source, record: SourceRecord | undefined, now: number): KnownPod['state'] {
    if (record?.lastSuccess !== undefined) return 'read';
    const since = this.#since.get(sourceKey(pod)) ?? now;
    return record?.failures || elapsed(since, now) >= LONGEST_WAIT ? 'unread' : 'awaited';
  }

  #peer({ url }: Source, record: SourceRecord | undefined, now: number): KnownPeer {
    if (record && record.failures >= UNRELIABLE.failures) this.#failed.set(url, now);
    const failed = this.#failed.get(url);
    const isReliable = failed === undefined || elapsed(failed, now) >= UNRELIABLE.ms;
    if (isReliable) this.#failed.delete(url);
    const reads = this.#options.podsReadBy?.(record) ?? new Set();
    const refused = new Set(Object.keys(record?.refused ?? {}));
    return { url, reads, refused, skipped: record?.skipped ?? [], isReliable };
  }
}
