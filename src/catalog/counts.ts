/** What components can be counted by; `source` by its `sourceKey`. */
export type CountedField = 'shapes' | 'tag' | 'author' | 'source';

/** How many components there are, and how many have each value. */
export interface Counts<F extends CountedField = CountedField> {
  readonly total: number;
  readonly by: Readonly<Record<F, ReadonlyMap<string, number>>>;
  /** There are more: an engine that would have to read all of very many matches to count them counts some. */
  readonly isTotalCapped?: boolean;
  /** The numbers of the values are those of some matches. Never where everything matches. */
  readonly areValuesCapped?: boolean;
}
