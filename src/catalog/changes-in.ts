import { newsOf } from '../core/pins.js';
import { summariesFor } from '../core/source-digests.js';
import { lowerBound } from '../lib/lower-bound.js';
import type { Changes, ChangesRequest, State, StatementChange } from './catalog.js';
import type { Removal } from './documents.js';
import { Entry } from './entry.js';

/** Bytes of what the changes say that are parsed in one go: one component may have 2 MB, which takes 10 ms. */
const PARSED = 500_000;

/**
 * A part of the changes up to the present state, `since` being known. It ends after so many bytes, with fewer changes than there may
 * be: who asks gives way to other work, and asks on.
 */
export function changesIn(
  told: { readonly entries: readonly Entry[]; readonly removals: readonly Removal[] },
  state: State,
  { since, after = since?.position ?? 0, removals = false, limit }: ChangesRequest,
): Changes {
  const changes: StatementChange[] = [];
  const sources = summariesFor(state.feed.sources, since);
  let parsed = 0;
  for (const change of merged(
    behind(told.entries, after),
    since || removals ? behind(told.removals, after) : [],
  )) {
    if (changes.length >= limit || parsed >= PARSED)
      return { state, changes, next: changes.at(-1)?.position ?? after, sources };
    if (change instanceof Entry) parsed += change.length;
    changes.push(change instanceof Entry ? changeOf(change) : change);
  }
  return { state, changes, sources };
}

function* behind<T extends { readonly position: number }>(list: readonly T[], position: number) {
  for (let at = lowerBound(list, (one) => one.position > position); at < list.length; at++)
    yield list[at] as T;
}

function* merged(entries: Iterable<Entry>, removals: Iterable<Removal>): Generator<Entry | Removal> {
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
