import { shortHash } from '../lib/short-hash.js';
import { type DocumentChange, namedIn } from './document-change.js';
import type { StoredDocument } from './document-record.js';
import type { LimitParts } from './limits.js';
import type { Shrink } from './source-record.js';

/** A source may lose so many components in one poll, or such a part: more is pending (design, section 15). */
const TOLERATED = { components: 20, part: 1 / 2 } as const;
/** A loss is believed once so many complete polls have found it, over so many ms. */
const BELIEVED = { polls: 3, ms: 3_600_000 } as const;

export interface GuardParts extends Omit<LimitParts, 'limit'> {
  /** What was pending before. */
  readonly pending: Shrink | undefined;
  /** Stored documents that the node itself drops: they are no loss of the source. */
  readonly dropped: ReadonlySet<string>;
  /** Has the operator accepted that the source says much less than before? */
  readonly acceptsShrink: boolean;
  /** Has the poll read all of the source? */
  readonly isComplete: boolean;
  /** Ms since the epoch. */
  readonly now: number;
}

/**
 * The changes of a poll without the removals that are pending; `held`: those, as they were given, of which
 * some are.
 * @param changes each document once
 */
export async function guardLoss(changes: readonly DocumentChange[], parts: GuardParts) {
  const { documents, dropped, acceptsShrink, breathe, sayings } = parts;
  let from = 0;
  for (const [url, { components, omitted = 0 }] of documents)
    if (!dropped.has(url)) from += components + omitted;
  let to = from;
  const effects: { readonly change: DocumentChange; readonly lost: readonly string[] }[] = [];
  for (const change of acceptsShrink ? [] : changes) {
    const { url, components, record } = change;
    const lost: string[] = [];
    for (const { before, after } of namedIn(change, sayings(url))) {
      await breathe();
      if (!before) to += 1;
      else if (!after) lost.push(before.uri);
    }
    effects.push({ change, lost });
    to -= lost.length;
    // Components are counted whether or not they are kept.
    const isWhole = components !== undefined || record === null;
    if (isWhole) to += (record?.omitted ?? 0) - (documents.get(url)?.omitted ?? 0);
  }
  if (!isSuspicious({ from, to })) return { changes, held: [], shrink: undefined };

  const removals = new Set<string>();
  for (const { change, lost } of effects) {
    for (const uri of lost) {
      await breathe();
      removals.add(removalKey(change.url, uri));
    }
  }
  const { shrink, believed } = pendingAfter(parts, { from, to, removals });
  const [kept, held]: [DocumentChange[], DocumentChange[]] = [[], []];
  for (const { change, lost } of effects) {
    await breathe();
    const isBelieved = (uri: string) => believed.has(removalKey(change.url, uri));
    const gone = believed.size === 0 ? [] : lost.filter(isBelieved);
    if (gone.length === lost.length) kept.push(change);
    else {
      held.push(change);
      kept.push(...withLess(change, gone, documents.get(change.url)));
    }
  }
  return { changes: kept, held, shrink };
}

/**
 * What is pending after another poll, and which removals are believed: those that three have found, whatever
 * else is lost or said. What was found gone only later waits by itself where it is so much again.
 */
function pendingAfter(
  { pending: before, isComplete, now }: GuardParts,
  { from, to, removals }: Pick<Shrink, 'from' | 'to'> & { readonly removals: ReadonlySet<string> },
): { readonly shrink?: Shrink; readonly believed: ReadonlySet<string> } {
  const none = new Set<string>();
  // A poll that could not read everything does not show that the rest is gone.
  if (!isComplete) return { shrink: { since: now, polls: 0, ...before, from, to }, believed: none };
  const anew = { since: now, polls: 1, from, to, lost: [...removals] };
  const lost = before?.lost?.filter((key) => removals.has(key)) ?? [];
  if (!before || lost.length === 0) return { shrink: anew, believed: none };
  // The hour begins anew when the clock was set back.
  const since = Math.min(before.since, now);
  const polls = before.polls + 1;
  if (polls < BELIEVED.polls || now - since < BELIEVED.ms)
    return { shrink: { since, polls, from, to, lost }, believed: none };
  const believed = new Set(lost);
  const later = { ...anew, from: from - lost.length };
  return isSuspicious(later) ? { shrink: later, believed } : { believed: removals };
}

/** Is it so much that it may be a mistake of the source, or of its server? */
function isSuspicious({ from, to }: Pick<Shrink, 'from' | 'to'>): boolean {
  return from - to > TOLERATED.components && to < from * TOLERATED.part;
}

/**
 * A change that takes back only some of what is lost, without anything by which the server could tell that
 * the document is as it was. It goes on to belong to the source of the peer that it belonged to: that can
 * change only with all that it says.
 */
function withLess(
  { url, components, amend, record }: DocumentChange,
  gone: readonly string[],
  before: StoredDocument | undefined,
): DocumentChange[] {
  if (record === null && gone.length === 0) return [];
  const known: StoredDocument = { components: 0, ...(record ?? before) };
  const { etag, lastModified, modified, components: _, ...kept } = known;
  const put = components ?? amend?.put ?? [];
  return [{ url, amend: { put, remove: gone }, record: { ...kept, of: before?.of } }];
}

/** 96 bits of a hash: of a hundred thousand pending removals, less is remembered than of what they say. */
function removalKey(document: string, uri: string): string {
  return shortHash(`${document}\n${uri}`).slice(0, 16);
}
