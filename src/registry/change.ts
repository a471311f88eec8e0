import { type ChangeExamples, EXAMPLES } from '../core/document-change.js';

/** How many descriptions a commit added, changed and removed for its source, and of which components, as examples. */
export interface ChangeCount {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  readonly examples: ChangeExamples;
}

export const NO_CHANGE: ChangeCount = {
  added: 0,
  changed: 0,
  removed: 0,
  examples: { added: [], changed: [], removed: [] },
};

export function sumOfCounts(counts: Iterable<ChangeCount>): ChangeCount {
  let sum = NO_CHANGE;
  for (const { added, changed, removed, examples } of counts) {
    sum = {
      added: sum.added + added,
      changed: sum.changed + changed,
      removed: sum.removed + removed,
      examples: {
        added: [...sum.examples.added, ...examples.added].slice(0, EXAMPLES),
        changed: [...sum.examples.changed, ...examples.changed].slice(0, EXAMPLES),
        removed: [...sum.examples.removed, ...examples.removed].slice(0, EXAMPLES),
      },
    };
  }
  return sum;
}
