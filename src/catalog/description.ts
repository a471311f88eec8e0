import type { Metadata } from '../component/metadata.js';
import type { Pin } from '../component/pin.js';
import type { Standing } from '../core/precedence.js';

/** What one document of one source says about one component, and who says it. Never changed. */
export interface Description extends Standing {
  readonly metadata: Metadata;
  /** When this registry first stored it in this form, ms since the Unix epoch; polls that find the same do not move it. */
  readonly since: number;
  /** What this node has seen of the module's bytes under this version, if anything: see `Pins`. */
  readonly pin?: Pin | undefined;
  /**
   * The component's object in a JSON listing, in UTF-8; must not be changed. Absent of what is in no listing: `listingText`
   * writes the same.
   */
  readonly json?: Uint8Array;
}

/** The same, with its metadata at hand: those of the catalog are parsed each time they are asked for. */
export function withMetadata(one: Description): Description {
  const { source, document, trust, class: name, rank, metadata, since, pin } = one;
  return { source, document, trust, class: name, rank, metadata, since, pin };
}
