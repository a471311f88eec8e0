import type { Source } from '../component/source.js';

/** That a document describes a component no longer. */
export interface Removal {
  readonly position: number;
  /** ms since the Unix epoch. */
  readonly at: number;
  readonly source: Source;
  readonly document: string;
  readonly uri: string;
}
