import { sizeOf } from '../../../component/component-size.js';
import type { Metadata } from '../../../component/metadata.js';
import type { Amount } from '../../sync-source.js';

/** Bytes that a removal takes, beside its uri. */
const REMOVAL_BYTES = 64;
/** Removals that are staged beyond as many as there may be components: more cost more than reading everything. */
const REMOVALS = 100_000;

/** How much is staged of a peer's feed. */
export class StagedAmount {
  graphs = 0;
  #components = 0;
  #removals = 0;
  #bytes = 0;

  /** Is it more than may be? */
  exceeds({ components, bytes }: Amount): boolean {
    return this.#components > components || this.#removals > components + REMOVALS || this.#bytes > bytes;
  }

  /** A description, or a removal, comes (1) or goes (-1). */
  countStatement(uri: string, said: Metadata | null, times: 1 | -1): void {
    if (said) this.#components += times;
    else this.#removals += times;
    this.#bytes += times * (said ? sizeOf(said) : REMOVAL_BYTES + uri.length);
  }

  countGraph(name: string, times: 1 | -1): void {
    this.graphs += times;
    this.#bytes += times * name.length;
  }
}
