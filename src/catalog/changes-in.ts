import { newsOf } from '../core/pins.js';
import { summariesFor } from '../core/source-digests.js';
import { lowerBound } from '../lib/lower-bound.js';
import type { Changes, ChangesRequest, State, StatementChange } from './catalog.js';
import { Entry } from './entry.js';
import type { Removal } from './removal.js';

/** Bytes of what the changes say that are parsed in one go: one component may have 2 MB, which takes 10 ms. */
const PARSED = 500_000;

/** What happened latest to statements, in the order of positions. */
interface Told {
  readonly entries: readonly Entry[];
  readonly removals: readonly Removal[];
}

/**
 * A part of the changes up to the present state, `since` being known. It ends after so many bytes, with fewer changes than there may
 * be: who asks gives way to other work, and asks on.
 */
export function changesIn(
  { entries, removals }: Told,
  state: State,
  { since, after = since?.position ?? 0, removals: isAsked = false, limit }: ChangesRequest,
): Changes {
  const changes: StatementChange[] = [];
  const sources = summariesFor(state.feed.sources, since);
  const firstBehind = <T extends Entry | Removal>(all: readonly T[]) => {
    const from = lowerBound(all, ({ position }) => position > after);
    return all.slice(from, from + limit + 1);
  };
  const latest = [...firstBehind(entries), ...(since || isAsked ? firstBehind(removals) : [])];
  let parsed = 0;
  for (const change of latest.sort((one, other) => one.position - other.position)) {
    if (changes.length >= limit || parsed >= PARSED)
      return { state, changes, next: changes.at(-1)?.position ?? after, sources };
    if (change instanceof Entry) parsed += change.length;
    changes.push(change instanceof Entry ? changeOf(change) : change);
  }
  return { state, changes, sources };
}

function changeOf({ uri, position, stamp, origin, metadata, pin }: Entry): StatementChange {
  const { at, isUpdate, since } = stamp;
  const { source, document, rankWithin: rank } = origin;
  return { position, at, source, document, rank, uri, metadata, isUpdate, since, pin: newsOf(pin) };
}
