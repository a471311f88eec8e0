import { newsOf } from '../core/pins.js';
import { summariesFor } from '../core/source-digests.js';
import { lowerBound } from '../lib/lower-bound.js';
import type { Changes, ChangesRequest, State, StatementChange } from './catalog.js';
import { Entry } from './entry.js';
import type { Removal } from './removal.js';

/** Bytes of what the changes say that are parsed in one go: one component may have 2 MB, which takes 10 ms. */
const PARSED = 500_000;
/** Changes that are looked at in one go, those included of which nothing is told. */
const LOOKED_AT = 10_000;

/**
 * A part of the changes up to the present state, `since` being known. It ends after so many bytes, with fewer changes than there may
 * be: who asks gives way to other work, and asks on.
 */
export function changesIn(
  latest: readonly (Entry | Removal)[],
  state: State,
  { since, after = since?.position ?? 0, removals: isAsked = false, limit }: ChangesRequest,
): Changes {
  const changes: StatementChange[] = [];
  const sources = summariesFor(state.feed.sources, since);
  const from = lowerBound(latest, ({ position }) => position > after);
  let parsed = 0;
  for (let at = from; at < latest.length; at++) {
    if (changes.length >= limit || at - from >= LOOKED_AT || parsed >= PARSED)
      return { state, changes, next: latest[at - 1]?.position ?? after, sources };
    const change = latest[at] as Entry | Removal;
    if (change instanceof Entry) {
      parsed += change.length;
      changes.push(changeOf(change));
    } else if (since || isAsked) changes.push(change);
  }
  return { state, changes, sources };
}

function changeOf({ uri, position, stamp, origin, metadata, pin }: Entry): StatementChange {
  const { at, isUpdate, since } = stamp;
  const { source, document, rankWithin: rank } = origin;
  return { position, at, source, document, rank, uri, metadata, isUpdate, since, pin: newsOf(pin) };
}
