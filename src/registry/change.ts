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

export function sumOfCounts(one: ChangeCount, other: ChangeCount): ChangeCount {
  const examples = (kind: keyof ChangeExamples) =>
    [...one.examples[kind], ...other.examples[kind]].slice(0, EXAMPLES);
  return {
    added: one.added + other.added,
    changed: one.changed + other.changed,
    removed: one.removed + other.removed,
    examples: { added: examples('added'), changed: examples('changed'), removed: examples('removed') },
  };
}
