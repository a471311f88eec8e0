import { type Metadata, sameMetadata } from '../component/metadata.js';

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
  readonly before?: Metadata;
  /** What the document says from now on; absent when it no longer describes the component. */
  readonly after?: Metadata;
}

/** Does the document say the same of the component as before? */
export function isUnchanged({ before, after }: Change): boolean {
  return before !== undefined && after !== undefined && sameMetadata(before, after);
}

export function countChanges(changes: Iterable<Change>): ChangeCount {
  let [added, changed, removed] = [0, 0, 0];
  for (const { before, after } of changes) {
    if (!before) added += 1;
    else if (after) changed += 1;
    else removed += 1;
  }
  return { added, changed, removed };
}

export function sumOfCounts(counts: Iterable<ChangeCount>): ChangeCount {
  let sum = NO_CHANGE;
  for (const { added, changed, removed } of counts) {
    sum = {
      added: sum.added + added,
      changed: sum.changed + changed,
      removed: sum.removed + removed,
    };
  }
  return sum;
}
