import type { DocumentChange } from '../../core/document-change.js';
import type { DocumentRecord } from '../../core/document-record.js';
import type { Following } from '../../core/following.js';
import { fitsMore } from '../../core/limits.js';
import { NO_NETWORK } from '../../core/network-lists.js';
import type { Authority } from '../../core/precedence.js';
import type { SourceRecord, StoredDocument, StoredSource } from '../../core/source-record.js';
import { documentName, graphOf, type PeerRules, takeStatement } from '../../core/take.js';
import { type AuthorityOf, unknownOrder } from '../../core/upstream-order.js';
import type { Breather } from '../../lib/pace.js';
import { invalidComponents } from '../invalid-components.js';
import { dropRefused, type GraphChanges, union } from '../refused-graphs.js';
import type { PollResult, Remembered } from '../sync-source.js';
import { mirroredOrder, withAuthorities } from './mirrored.js';
import { fetchComponents } from './peer-components.js';
import type { PeerDataset, PeerGraph } from './peer-dataset.js';
import { pollFailure } from './peer-failure.js';
import type { PeerLists } from './peer-lists.js';
import { type PeerMemo, peerMemo } from './peer-memo.js';
import type { PeerPolling } from './peer-polling.js';

/** What became of the peer's components, and what is remembered of their listing. */
interface Components extends GraphChanges {
  readonly memo: PeerMemo['component'];
  /** Was the whole listing read? Then what was skipped in it is all that was skipped. */
  readonly whole: boolean;
}

/**
 * Polls a peer once by its listing: all that it says, when any of it has changed. Rejects when it is stopped.
 * @param following what is remembered of how the peer is followed, once its listing could be read
 */
export async function pollListing(
  polling: PeerPolling,
  lists: PeerLists,
  following: Following,
): Promise<PollResult> {
  await lists.read();
  const { memo: component, skipped, whole, documents, dropped } = await componentsOf(polling, lists);
  // What could not be read by its listing either is tried by its feed again.
  const isRead = !lists.isGone && !lists.failures.has('/component');
  const remember = (record: SourceRecord): Remembered => {
    const feed = isRead ? undefined : peerMemo(record).feed;
    const memo: PeerMemo = { readAs: polling.readAs, ...lists.fingerprints, component, feed };
    return {
      memo: { ...memo },
      introduced: lists.isSelf ? NO_NETWORK : lists.introduced(record),
      skipped: whole ? skipped : union(record.skipped ?? [], skipped),
      refused: isRead ? undefined : record.refused,
      following: isRead ? following : record.following,
    };
  };
  return { documents, dropped, remember, failure: pollFailure(lists.failures) };
}

async function componentsOf(polling: PeerPolling, lists: PeerLists): Promise<Components> {
  const { stored, rules, pace, clock, remembered } = polling;
  if (lists.isSelf) return { ...noMore(stored), memo: undefined, whole: true };
  const { listing, memo } = lists.isGone
    ? { memo: remembered.component }
    : await fetchComponents(polling, isWantedAnew(polling));
  const authorityOf = authoritiesIn(memo, polling, lists);
  if (listing?.kind === 'whole') {
    const taking = { rules: rules(), authorityOf, now: clock.now() };
    const accepted = await accept(listing.dataset, stored, taking, pace());
    return { ...accepted, memo, whole: true };
  }
  if (listing?.kind === 'failed') lists.failures.set('/component', listing);
  if (lists.isSelf) return { ...noMore(stored), memo: undefined, whole: true };
  const left = await dropRefused(stored, rules(), pace());
  const before = stored?.documents ?? new Map();
  const documents = await withAuthorities(left.documents, before, authorityOf, pace());
  return { ...left, documents, memo, whole: false };
}

/** Of a mirror: a listing without graphs does not say who says what. */
function authoritiesIn(
  memo: PeerMemo['component'],
  { rules, stored, peer }: PeerPolling,
  lists: PeerLists,
): AuthorityOf | undefined {
  if (!rules().isMirror) return undefined;
  return memo?.graphs === 'unknown' ? unknownOrder(peer) : mirroredOrder(lists.introduced(stored?.record));
}

/** What was skipped or left out of the last answer, and is taken or has room now, has to be sent again. */
function isWantedAnew({ stored, rules, progress }: PeerPolling): boolean {
  const { record, documents = new Map<string, DocumentRecord>() } = stored ?? {};
  const current = rules();
  const isTaken = (pod: string) => takeStatement({ graph: pod, isStored: false }, current) === 'taken';
  const isLeftOut = [...documents.values()].some((document) => fitsMore(document, progress.room));
  return isLeftOut || (record?.skipped ?? []).some(isTaken);
}

/** Nothing of the peer is accepted any more. */
function noMore(stored: StoredSource | undefined): GraphChanges {
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
  {
    rules,
    authorityOf,
    now,
  }: { readonly rules: PeerRules; readonly authorityOf: AuthorityOf | undefined; readonly now: number },
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
    if (taken === 'taken')
      documents.set(url, documentOf(url, graph, authorityOf?.(name), stored?.documents.get(url), now));
    else if (taken.address !== undefined) skipped.add(taken.address);
    await breathe();
  }
  return { documents: [...documents.values()], skipped: [...skipped].sort(), dropped };
}

/** A document as the listing has it. One of which something cannot be read stays as it is, and says why. */
function documentOf(
  url: string,
  graph: PeerGraph,
  authority: Authority | undefined,
  stored: StoredDocument | undefined,
  now: number,
): DocumentChange {
  if (graph.refused !== undefined) {
    const { components: _, ...kept } = stored ?? { components: 0 };
    const failing = { error: graph.refused, failingSince: kept.failingSince ?? now };
    return { url, record: { ...kept, authority, ...failing } };
  }
  const { components, omitted } = graph;
  const invalid = invalidComponents(graph.invalid, graph.unnamed);
  const record: DocumentRecord = {
    invalid: invalid.length === 0 ? undefined : invalid,
    authority,
    omitted: omitted || undefined,
  };
  return { url, components: [...components.values()], record };
}
