import { sameSource } from '../component/source.js';
import { newsOf } from '../core/pins.js';
import { summariesFor } from '../core/source-digests.js';
import type { Changes, ChangesRequest, State, StatementChange } from './catalog.js';
import type { Removal } from './documents.js';
import { Entry } from './entry.js';

/** Statements that are looked at in one go: it takes about 0.3 ms to pass over those that are not asked for. */
const LOOKED_AT = 5000;
/** Bytes of what the changes say that are parsed in one go: one component may have 2 MB, which takes 10 ms. */
const PARSED = 500_000;

export interface ToldFrom {
  /** Entries and removals with greater positions, each in the order of positions. */
  readonly entries: (after: number) => Iterable<Entry>;
  readonly removals: (after: number) => Iterable<Removal>;
}

/**
 * A part of the changes up to the present state, `since` being known. It ends after so many statements of others, and after so
 * many bytes, with fewer changes than there may be: who asks gives way to other work, and asks on.
 */
export function changesIn(told: ToldFrom, state: State, request: ChangesRequest): Changes {
  const { since, after = since?.position ?? 0, removals = false, uri, source, limit } = request;
  const removedAfter = since?.position ?? (removals ? 0 : Number.POSITIVE_INFINITY);
  const isAsked = (change: Entry | Removal) =>
    (uri === undefined || change.uri === uri) &&
    (!source || sameSource(change instanceof Entry ? change.origin.source : change.source, source));
  const changes: StatementChange[] = [];
  let last = after;
  let [looked, parsed] = [0, 0];
  let isCut = false;
  for (const change of inOrder(told.entries(after), told.removals(Math.max(after, removedAfter)))) {
    isCut = looked === LOOKED_AT || (isAsked(change) && (changes.length >= limit || parsed >= PARSED));
    if (isCut) break;
    looked += 1;
    last = change.position;
    if (!isAsked(change)) continue;
    if (change instanceof Entry) parsed += change.length;
    changes.push(change instanceof Entry ? changeOf(change) : change);
  }
  const next = isCut ? { next: last } : {};
  return { state, changes, ...next, sources: summariesFor(state.feed.sources, since) };
}

function* inOrder(entries: Iterable<Entry>, removals: Iterable<Removal>): Generator<Entry | Removal> {
  const removed = removals[Symbol.iterator]();
  let removal = removed.next();
  for (const entry of entries) {
    for (; !removal.done && removal.value.position < entry.position; removal = removed.next())
      yield removal.value;
    yield entry;
  }
  for (; !removal.done; removal = removed.next()) yield removal.value;
}

function changeOf({ uri, position, stamp, origin, metadata, pin }: Entry): StatementChange {
  const { at, isUpdate, since } = stamp;
  const { source, document, rankWithin: rank } = origin;
  return { position, at, source, document, rank, uri, metadata, isUpdate, since, pin: newsOf(pin) };
}
