import type { NetworkTerm } from '../../component/network-list.js';
import type { Vocabulary } from '../../component/vocabulary.js';
import type { Pace } from '../../lib/pace.js';
import type { Parsing } from '../../lib/pool/task.js';
import { withoutTrailingSlashes } from '../../lib/trailing-slashes.js';
import type { NetworkLists } from '../../registry/network-lists.js';
import type { StoredSource } from '../../registry/source-record.js';
import { introductionIn } from '../introduction.js';
import { type Relayed, type RelayPolicy, skippedPods, supersede, union } from '../relay-policy.js';
import type { PollProgress, PollResult } from '../sync-source.js';
import { fetchAddresses } from './address-list.js';
import type { Dialect } from './dialect.js';
import { type ComponentsReading, fetchComponents } from './peer-components.js';
import { accept } from './peer-documents.js';
import { pollFailure } from './peer-failure.js';
import { type PeerMemo, peerMemo } from './peer-memo.js';
import type { PeerFailure } from './peer-request.js';

export interface PeerPollOptions {
  /** As configured or learned. */
  readonly url: string;
  /** The URL of the node that polls. */
  readonly self: string;
  readonly dialect: Dialect;
  readonly vocabulary: Vocabulary;
  readonly parsing: Parsing;
  /** Names what the answers mean; what was read under another name is read again. */
  readonly readAs: string;
  /** What is accepted, as of now: that depends on the pods which this node reads itself. */
  readonly policy: () => RelayPolicy;
  readonly maxDocuments: number;
  readonly pace: Pace;
  readonly stored: StoredSource | undefined;
  readonly progress: PollProgress;
}

/** Failures after which there is no point in asking for anything else. */
const POINTLESS: readonly (string | undefined)[] = ['connection', 'unresolved', 'refused', 'self'];

const LISTS = { peers: 'peer', storage: 'storage' } as const;
type ListName = keyof typeof LISTS;

/** What became of the peer's components, and what is remembered of their listing. */
interface Components extends Relayed {
  readonly memo: PeerMemo['component'];
  /** Was the whole listing read? Then what was skipped in it is all that was skipped. */
  readonly whole: boolean;
}

/** One poll of one peer: its two lists and its components, each for itself. Rejects when it is stopped. */
export class PeerPoll {
  readonly #options: PeerPollOptions;
  readonly #base: string;
  readonly #known: PeerMemo;
  readonly #failures = new Map<string, PeerFailure>();
  /** The lists that were read anew. */
  readonly #introduced: { -readonly [name in ListName]?: NetworkLists[name] } = {};

  constructor(options: PeerPollOptions) {
    this.#options = options;
    this.#base = withoutTrailingSlashes(options.url);
    const memo = peerMemo(options.stored?.record);
    // Without the marks of its resources, everything is read in full.
    this.#known = memo.readAs === options.readAs ? memo : {};
  }

  async run(): Promise<PollResult> {
    const { readAs } = this.#options;
    const peers = await this.#list('peers');
    const storage = await this.#list('storage');
    const { memo: component, documents, skipped, whole } = await this.#components();
    const memo = {
      readAs,
      ...(peers ? { peers } : {}),
      ...(storage ? { storage } : {}),
      ...(component ? { component } : {}),
    } satisfies PeerMemo;
    const failure = pollFailure(this.#failures);
    return {
      documents,
      remember: (record) => ({
        memo,
        introduced: { ...introductionIn(record), ...this.#introduced },
        skipped: whole ? skipped : union(skippedPods(record), skipped),
      }),
      ...(failure ? { failure } : {}),
    };
  }

  /** Reads a list; gives back how to recognise the state of it that is known now. */
  async #list(name: ListName): Promise<PeerMemo[ListName]> {
    const known = this.#known[name];
    if (this.#isGone()) return known;
    const term: NetworkTerm = LISTS[name];
    const { dialect, vocabulary, self, progress, parsing } = this.#options;
    const read = await fetchAddresses({
      url: `${this.#base}/${name}`,
      ...{ term, vocabulary, self, dialect, progress, parsing },
      known: known?.mark ?? {},
    });
    if (read.kind === 'whole') this.#introduced[name] = read.entries;
    if (read.kind !== 'failed') return { mark: read.mark };
    // A node that has never had such a list is a node without one.
    if (!(read.status === 404 && this.#introducedBefore(name) === 0)) {
      this.#failures.set(`/${name}`, read);
    }
    return known;
  }

  #introducedBefore(name: ListName): number {
    return introductionIn(this.#options.stored?.record)[name].length;
  }

  async #components(): Promise<Components> {
    const { stored, policy, pace } = this.#options;
    const known = this.#known.component;
    if (this.#isSelf()) return { memo: undefined, documents: noMore(stored), skipped: [], whole: true };
    const { listing, memo } = this.#isGone() ? { memo: known } : await this.#listing();
    if (listing?.kind === 'whole') {
      return { ...(await accept(listing.dataset, stored, policy(), pace())), memo, whole: true };
    }
    if (listing?.kind === 'failed') this.#failures.set('/component', listing);
    return { ...(await supersede(stored, policy(), pace())), memo, whole: false };
  }

  #listing(): Promise<ComponentsReading> {
    const { dialect, vocabulary, maxDocuments, parsing, policy, progress, stored } = this.#options;
    const known = this.#known.component;
    const current = policy();
    const skipsTheSame = skippedPods(stored?.record).every((pod) => current.refusal(pod));
    return fetchComponents({
      peer: this.#base,
      ...{ vocabulary, maxDocuments, parsing, known, limit: progress.limit },
      // What was skipped or left out of the last answer and is wanted now has to be sent again.
      anew: !skipsTheSame || this.#hasRoom(),
      ask: (url, preference, mark) => dialect.ask(url, preference, mark, progress),
    });
  }

  /** Is there room by now for what was left out of the last answer? */
  #hasRoom(): boolean {
    const { stored, progress } = this.#options;
    const documents = [...(stored?.documents.values() ?? [])];
    return !progress.full && documents.some(({ omitted }) => omitted !== undefined);
  }

  #isSelf(): boolean {
    return [...this.#failures.values()].some(({ reason }) => reason === 'self');
  }

  #isGone(): boolean {
    return [...this.#failures.values()].some(
      ({ reason, status }) => status === 429 || POINTLESS.includes(reason),
    );
  }
}

function noMore(stored: StoredSource | undefined): Relayed['documents'] {
  return [...(stored?.documents.keys() ?? [])].map((url) => ({ url, record: null }));
}
