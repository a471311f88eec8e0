import { fold, searchWords } from '../../../component/search-text.js';
import { shapeName } from '../../../component/shape-names.js';
import { nearest } from '../../../lib/nearest.js';
import { authorName } from '../../../web/fragments.js';
import type { Results } from './results-view.js';

/** How different in length a word may be from what was meant, as a part of it: `nearest` would not take it otherwise. */
const TOLERANCE = 0.4;

export function wordsIn(name: string): string[] {
  return fold(name).match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** The words that searches find something by, the most frequent values first. */
export function knownWords({
  values: { shapes, tag, author },
  names = [],
}: Pick<Results, 'values'> & { readonly names?: Iterable<string> }): Set<string> {
  const shape = shapes.map(([iri]) => fold(shapeName(iri)));
  return new Set([
    ...names,
    ...tag.map(([value]) => fold(value)),
    ...shape,
    ...shape.map((name) => name.replace(/^\w+:/, '')),
    ...author.flatMap(([value]) => wordsIn(authorName(value))),
  ]);
}

/**
 * A search with each word that is in nothing known replaced by the one that is most like it, as the command line does with
 * what it does not know; undefined where that changes nothing, or there is no such word.
 */
export function correctedWords(q: string, known: ReadonlySet<string>): string | undefined {
  let changed = false;
  const words = searchWords(q).map((word) => {
    if ([...known].some((one) => one.includes(word))) return word;
    const alike = [...known].filter(
      ({ length }) => Math.abs(length - word.length) <= word.length * TOLERANCE,
    );
    const near = nearest(word, alike, TOLERANCE);
    changed ||= near !== undefined;
    return near ?? word;
  });
  return changed ? words.join(' ') : undefined;
}
