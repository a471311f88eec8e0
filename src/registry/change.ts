import type { Metadata } from '../component/metadata.js';

/** How many descriptions a commit added, changed and removed for its source. */
export interface ChangeCount {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
}

export const NO_CHANGE: ChangeCount = { added: 0, changed: 0, removed: 0 };

/** What becomes of the description of one component in one document. Never both absent. */
export interface Change {
  /** What the document said before; absent when the component is new in it. */
  readonly before?: Metadata | undefined;
  /** What the document says from now on; absent when it no longer describes the component. */
  readonly after?: Metadata | undefined;
}

export function sumOfCounts(counts: Iterable<ChangeCount>): ChangeCount {
  let sum = NO_CHANGE;
  for (const { added, changed, removed } of counts) {
    sum = { added: sum.added + added, changed: sum.changed + changed, removed: sum.removed + removed };
  }
  return sum;
}
