import type { Vocabulary } from '../../component/vocabulary.js';
import type { Authority } from '../../core/precedence.js';
import { documentName, graphOf, type PeerRules, takeStatement } from '../../core/take.js';
import { type AuthorityOf, unknownOrder } from '../../core/upstream-order.js';
import type { Breather, Pace } from '../../lib/pace.js';
import type { Parsing } from '../../lib/pool/task.js';
import type { DocumentRecord } from '../../registry/document-record.js';
import type { DocumentChange } from '../../registry/source-change.js';
import type { Following, SourceRecord, StoredSource } from '../../registry/source-record.js';
import { invalidComponents } from '../invalid-components.js';
import { dropRefused, type GraphChanges, union } from '../refused-graphs.js';
import type { PollProgress, PollResult, Remembered } from '../sync-source.js';
import type { Dialect } from './dialect.js';
import { mirroredOrder, withAuthorities } from './mirrored.js';
import { type ComponentsReading, fetchComponents } from './peer-components.js';
import type { PeerDataset, PeerGraph } from './peer-dataset.js';
import { pollFailure } from './peer-failure.js';
import type { PeerLists } from './peer-lists.js';
import { type PeerMemo, peerMemo } from './peer-memo.js';

export interface ListingPollOptions {
  /** The peer's URL, without a slash at the end. */
  readonly peer: string;
  readonly dialect: Dialect;
  readonly vocabulary: Vocabulary;
  readonly parsing: Parsing;
  readonly readAs: string;
  /** What is accepted, as of now: that depends on the pods which this node reads itself. */
  readonly rules: () => PeerRules;
  readonly maxDocuments: number;
  readonly pace: Pace;
  readonly stored: StoredSource | undefined;
  readonly progress: PollProgress;
  readonly lists: PeerLists;
  readonly known: PeerMemo['component'];
  /** What is remembered of how the peer is followed, once its listing could be read. */
  readonly following: Following;
}

/** What became of the peer's components, and what is remembered of their listing. */
interface Components extends GraphChanges {
  readonly memo: PeerMemo['component'];
  /** Was the whole listing read? Then what was skipped in it is all that was skipped. */
  readonly whole: boolean;
}

/** One poll of a peer by its listing: all that it says, when any of it has changed. Rejects when it is stopped. */
export class ListingPoll {
  readonly #options: ListingPollOptions;

  constructor(options: ListingPollOptions) {
    this.#options = options;
  }

  async run(): Promise<PollResult> {
    const { lists } = this.#options;
    await lists.read();
    const components = await this.#components();
    const { documents, dropped } = components;
    const failure = pollFailure(lists.failures);
    return { documents, dropped, remember: (record) => this.#remembered(record, components), failure };
  }

  #remembered(record: SourceRecord, { memo: component, skipped, whole }: Components): Remembered {
    const { readAs, lists, following } = this.#options;
    const { feed } = peerMemo(record);
    // What could not be read by its listing either is tried by its feed again.
    const isRead = !lists.isGone && !lists.failures.has('/component');
    const followed = isRead ? following : record.following;
    const memo: PeerMemo = { readAs, ...lists.fingerprints, component, feed: isRead ? undefined : feed };
    return {
      memo: { ...memo },
      introduced: lists.introduced(record),
      skipped: whole ? skipped : union(record.skipped ?? [], skipped),
      refused: isRead ? undefined : record.refused,
      following: followed,
    };
  }

  async #components(): Promise<Components> {
    const { stored, rules, pace, lists, known } = this.#options;
    if (lists.isSelf) return { ...noMore(stored), memo: undefined, whole: true };
    const { listing, memo } = lists.isGone ? { memo: known } : await this.#listing();
    const authorityOf = this.#authorities(memo);
    if (listing?.kind === 'whole') {
      const accepted = await accept(listing.dataset, stored, { rules: rules(), authorityOf }, pace());
      return { ...accepted, memo, whole: true };
    }
    if (listing?.kind === 'failed') lists.failures.set('/component', listing);
    const left = await dropRefused(stored, rules(), pace());
    const held = stored?.documents ?? new Map();
    const documents = await withAuthorities(left.documents, held, authorityOf, pace());
    return { ...left, documents, memo, whole: false };
  }

  /** Of a mirror: a listing without graphs does not say who says what. */
  #authorities(memo: PeerMemo['component']): AuthorityOf | undefined {
    const { rules, lists, stored, peer } = this.#options;
    if (!rules().isMirror) return undefined;
    const isToldWho = memo?.graphs !== 'unknown';
    return isToldWho
      ? mirroredOrder(lists.introduced(stored?.record ?? { failures: 0 }))
      : unknownOrder(peer);
  }

  #listing(): Promise<ComponentsReading> {
    const { peer, dialect, vocabulary, maxDocuments, parsing, rules, progress, stored, known } =
      this.#options;
    const current = rules();
    const skipsTheSame = (stored?.record.skipped ?? []).every(
      (pod) => takeStatement({ graph: pod, isStored: false }, current) !== 'taken',
    );
    return fetchComponents({
      peer,
      vocabulary,
      maxDocuments,
      parsing,
      known,
      limit: progress.limit,
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
}

/** Nothing of the peer is accepted any more. */
export function noMore(stored: StoredSource | undefined): GraphChanges {
  const dropped = new Set(stored?.documents.keys());
  return { documents: [...dropped].map((url) => ({ url, record: null })), skipped: [], dropped };
}

/**
 * What a whole listing changes: the graphs that are accepted, and the end of those that are no more. Gives way to
 * other work on the way: there may be thousands of graphs with long names.
 */
async function accept(
  dataset: PeerDataset,
  stored: StoredSource | undefined,
  { rules, authorityOf }: { readonly rules: PeerRules; readonly authorityOf: AuthorityOf | undefined },
  breathe: Breather,
): Promise<GraphChanges> {
  const documents = new Map<string, DocumentChange>();
  const skipped = new Set<string>();
  const dropped = new Set<string>();
  for (const url of stored?.documents.keys() ?? []) {
    documents.set(url, { url, record: null });
    if (takeStatement({ graph: graphOf(url, rules), isStored: true }, rules) !== 'taken') dropped.add(url);
  }
  for (const [name, graph] of dataset) {
    const url = documentName(name, rules);
    const taken = takeStatement({ graph: name, isStored: stored?.documents.has(url) === true }, rules);
    if (taken === 'taken') documents.set(url, documentOf(url, graph, authorityOf?.(name)));
    else if (taken.address !== undefined) skipped.add(taken.address);
    await breathe();
  }
  return { documents: [...documents.values()], skipped: [...skipped].sort(), dropped };
}

function documentOf(url: string, graph: PeerGraph, authority: Authority | undefined): DocumentChange {
  const { components, omitted } = graph;
  const invalid = invalidComponents(graph.invalid, graph.unnamed);
  const record: DocumentRecord = {
    invalid: invalid.length === 0 ? undefined : invalid,
    authority,
    omitted: omitted || undefined,
  };
  return { url, components: [...components.values()], record };
}
