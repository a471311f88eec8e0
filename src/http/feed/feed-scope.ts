import type { Config } from '../../config.js';
import { summariesOfKinds } from '../../core/source-digests.js';
import type { State } from '../../registry/state.js';
import { fingerprintOf } from '../entity-tags.js';
import type { Scope, ScopedLists } from '../network/list-scopes.js';
import type { FeedKind } from './feed-request.js';

/** What a follower asks of the feed: sources of some kinds, and network lists with so many hops; everything when absent. */
export interface FeedScope {
  readonly kinds?: readonly FeedKind[] | undefined;
  readonly hops?: Scope;
}

/**
 * The scope in which a follower is answered. A mirror answers everything whatever kinds are named, because it passes on what
 * its upstreams say as they do. Its followers take the revision of the lists from its cursor, so that moves with all lists.
 */
export function scopeOf(mode: Config['mode'], { kinds, hops }: FeedScope): FeedScope {
  return mode === 'mirror' ? {} : { kinds, hops };
}

/**
 * Gives for each scope a text that differs when something in it has changed between two states. A summary that changes, or
 * comes, gets a greater position than all before it; one that goes is missing in the count. Which pods there are counts in
 * every scope: a follower that leaves pods out may learn of a new one.
 */
export function fingerprintsOf({ feed }: State, scoped: ScopedLists): (scope: FeedScope) => string {
  const pods = fingerprintOf(summariesOfKinds(feed.sources, ['pod']).map(({ source }) => source.url));
  return ({ kinds, hops }) => {
    const summaries = summariesOfKinds(feed.sources, kinds);
    const latest = summaries.reduce((latest, { position }) => Math.max(latest, position), 0);
    return `${scoped.revision(hops).number} ${summaries.length} ${latest} ${pods}`;
  };
}
