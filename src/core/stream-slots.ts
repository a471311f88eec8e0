import { compareText } from '../lib/compare-text.js';
import type { Trust } from '../lib/fetch/hop.js';
import type { StoredSource } from './source-record.js';

/** Documents of one pod whose notifications are listened to, at most (design, section 12). */
const DOCUMENTS_PER_POD = 50;

/** Which streams come first when there are not enough for all: a peer's tells of all that the peer has read. */
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
  const ranks = RANKS[trust];
  if (stored.source.kind === 'peer') return [{ key, rank: ranks.peer }];
  const documents = listenedDocuments(stored).map(({ url, describes }) => ({
    ...{ key: `${key} ${url}`, document: { url, below: key } },
    rank: describes ? ranks.document : LAST,
  }));
  return [{ key, rank: ranks.pod }, ...documents];
}

/** Those that describe components first, the latest edited of them first: they are the most likely to be edited again. */
function listenedDocuments({ source, documents }: StoredSource) {
  return [...documents]
    .filter(([url]) => url !== source.url)
    .map(([url, { components, modified = '' }]) => ({ url, describes: components > 0, modified }))
    .sort(
      (one, other) =>
        Number(other.describes) - Number(one.describes) ||
        compareText(other.modified, one.modified) ||
        compareText(one.url, other.url),
    )
    .slice(0, DOCUMENTS_PER_POD);
}

/**
 * As many of the wanted streams as may be open, and those that were refused, which take the place of no other. Where a
 * source refuses its own stream, none is asked for its documents.
 */
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
