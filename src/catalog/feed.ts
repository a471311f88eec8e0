import { feedDigest, type SourceSummary } from '../core/source-digests.js';

/** What a state has to say to those who follow changes (design, section 11). Never changed. */
export interface Feed {
  /**
   * The position of the latest change; 0 when there has been none. Positions are integers, given in the order of
   * commits: each statement (a document on a component) has that of its latest change, and no two have the same. A
   * change of the network lists, or of the ranks of sources, has a position, too: so no two states have the same.
   */
  readonly position: number;
  /** Hash of everything that is stored and of the revision of the network lists: 32 hexadecimal digits. */
  readonly digest: string;
  /** Changes up to this position may have been forgotten: a reader that stood before it reads everything again. */
  readonly floor: number;
  /** Removals that are remembered. */
  readonly tombstones: number;
  /** The sources that describe something, in no particular order. */
  readonly sources: readonly SourceSummary[];
}

/** Of a registry that holds nothing yet. */
export const NO_FEED: Feed = { position: 0, digest: feedDigest([], 0), floor: 0, tombstones: 0, sources: [] };
