import type { Config } from '../../config.js';
import { linesOfKinds } from '../../core/source-digests.js';
import type { State } from '../../registry/state.js';
import { fingerprintOf } from '../entity-tags.js';
import type { Scope, ScopedLists } from '../network/list-scopes.js';
import type { FeedKind } from './feed-request.js';

/** Of what a reader wants to be told: of sources of some kinds, and of the network lists in some scope; of all when absent. */
export interface Told {
  readonly kinds?: readonly FeedKind[] | undefined;
  readonly hops?: Scope;
}

/**
 * What a reader is told that asks for a part. A mirror passes on what its upstreams say as they do: it has nothing else, so
 * it tells everything whatever kinds are named; and as its readers take the revision of the lists from its cursor then, that
 * moves with all of the lists.
 */
export function toldBy(mode: Config['mode'], { kinds, hops }: Told): Told {
  return mode === 'mirror' ? {} : { kinds, hops };
}

/**
 * Tells, for each part that a reader may want, a text that differs when something of it has changed between two states of
 * one life. A line that changes, or comes, gets a greater position than all before it; one that goes is missing in the
 * count. Which pods there are is told to those as well who do not want to hear of what changes in them: there may be one
 * among them that they do not know.
 */
export function marksOf({ feed }: State, scoped: ScopedLists): (told: Told) => string {
  const pods = fingerprintOf(linesOfKinds(feed.sources, ['pod']).map(({ source }) => source.url));
  return ({ kinds, hops }) => {
    const lines = linesOfKinds(feed.sources, kinds);
    const latest = lines.reduce((latest, { position }) => Math.max(latest, position), 0);
    return `${scoped.revision(hops).number} ${lines.length} ${latest} ${pods}`;
  };
}
