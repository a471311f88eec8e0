import type { Described } from '../../component/reading/described.js';

/** One page of a listing, as a peer sent it. */
export interface ListingBody {
  readonly text: string;
  readonly mediaType: string;
  /** Where the addresses that the peer gives to components begin: its own URL and `/c/`. */
  readonly base: string;
  /** Of the vocabulary. */
  readonly namespace: string;
  /** Graphs at most. */
  readonly maxGraphs: number;
}

/** Descriptions, by the graph at the peer that holds them. */
export interface Statements {
  readonly graph: string;
  readonly described: Described;
}

/** Why a listing that names more documents than are taken from one peer is not taken at all. */
export function tooManyDocuments(maxDocuments: number): string {
  return `it names more than ${maxDocuments} documents: raise sync.maxDocuments (${maxDocuments}) to take them`;
}
