import type { Metadata } from '../component/metadata.js';
import type { Source } from '../component/precedence.js';

/** One source's description of a component. */
export interface Entry {
  readonly metadata: Metadata;
  readonly source: Source;
  /** URL of the document that describes it: the named graph in datasets. */
  readonly document: string;
  /** See `DocumentRecord`. */
  readonly rank?: number | undefined;
  /** The component's object in a JSON listing, serialised. */
  readonly json: string;
}
