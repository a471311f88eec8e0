/** What components can be counted by; `source` by its `sourceKey`. */
export type CountedField = 'shapes' | 'tag' | 'author' | 'source';

/** How many components there are, and how many have each value. */
export interface Counts<F extends CountedField = CountedField> {
  readonly total: number;
  readonly by: Readonly<Record<F, ReadonlyMap<string, number>>>;
}
