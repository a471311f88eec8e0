import { compareText } from '../lib/compare-text.js';
import type { Trust } from '../lib/fetch/hop.js';
import type { StoredSource } from './source-record.js';

/** Documents of one pod whose notifications are listened to, at most (design, section 12). */
const DOCUMENTS_PER_POD = 50;

/** Which streams come first when there are too few for all: a peer's tells of all that the peer has read. */
const RANKS = {
  configured: { peer: 0, pod: 1, document: 3 },
  learned: { peer: 2, pod: 4, document: 5 },
} as const;
/** Documents that describe nothing come after everything else: a fault in them may be corrected. */
const LAST = 6;

/** A stream that is wanted, and how much: the lower, the more. */
export interface WantedStream {
  readonly key: string;
  /** Of a document: its URL, and the key of the stream to its pod. */
  readonly document?: { readonly url: string; readonly below: string };
  readonly rank: number;
}

/** The streams that tell of a source: its own, and those of the documents of a pod. `key`: of its own. */
export function streamsOf(key: string, stored: StoredSource, trust: Trust): readonly WantedStream[] {
  const { source, documents } = stored;
  const ranks = RANKS[trust];
  if (source.kind === 'peer') return [{ key, rank: ranks.peer }];
  const listened = [...documents]
    .filter(([url]) => url !== source.url)
    .map(([url, { components, modified = '' }]) => {
      const rank = components > 0 ? ranks.document : LAST;
      return { key: `${key} ${url}`, document: { url, below: key }, rank, modified };
    })
    // What was edited last is the most likely to be edited again.
    .sort(
      (one, other) =>
        one.rank - other.rank || compareText(other.modified, one.modified) || compareText(one.key, other.key),
    )
    .slice(0, DOCUMENTS_PER_POD);
  return [{ key, rank: ranks.pod }, ...listened];
}

/** As many wanted streams as may be open, and those that were refused, which take the place of no other. */
export function chosenStreams<W extends WantedStream>(
  wanted: readonly W[],
  most: number,
  isRefused: (key: string) => boolean,
): W[] {
  if (most === 0) return [];
  const slots = new Set<string>();
  return wanted
    .toSorted((one, other) => one.rank - other.rank)
    .filter(({ key, document }) => {
      if (document && !slots.has(document.below)) return false;
      if (isRefused(key)) return true;
      if (slots.size >= most) return false;
      slots.add(key);
      return true;
    });
}
