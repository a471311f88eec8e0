import type { Described } from '../component/codec.js';
import type { Vocabulary } from '../component/vocabulary.js';

/** One page of a listing, as a peer sent it. */
export interface ListingBody {
  readonly text: string;
  readonly mediaType: string;
  /** Where the addresses that the peer gives to components begin: its own URL and `/c/`. */
  readonly base: string;
  readonly vocabulary: Vocabulary;
}

/** Components and the name of the graph at the peer that describes them. */
export type Statements = readonly [graph: string, described: Described];
