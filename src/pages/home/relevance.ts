import type { Metadata } from '../../component/metadata.js';
import { fold, searchWords } from '../../component/search-text.js';
import { shapeName } from '../../component/shape-names.js';

/** What a word counts for where it is found. A text that begins with it counts half, one that contains it a quarter. */
const WEIGHTS = { label: 16, tag: 8, shape: 8, author: 6, description: 4 } as const;

/** How well a component fits the words of a search: the more, the better. It is asked for those only that have all words. */
export function relevanceOf(search: string): (component: Metadata) => number {
  const words = searchWords(search);
  const whole = fold(search).trim();
  return ({ label, description = '', tag, author, shapes }) => {
    const texts: readonly (readonly [number, string])[] = [
      [WEIGHTS.label, fold(label)],
      ...tag.map((one) => [WEIGHTS.tag, fold(one)] as const),
      ...shapes.map((shape) => [WEIGHTS.shape, fold(shapeName(shape).replace(/^\w+:/, ''))] as const),
      ...author.map((one) => [WEIGHTS.author, fold(one)] as const),
      [WEIGHTS.description, fold(description)],
    ];
    const best = (word: string) => Math.max(...texts.map(([weight, text]) => weight * likeness(text, word)));
    return [whole, ...words].reduce((sum, word) => sum + best(word), 0);
  };
}

function likeness(text: string, word: string): number {
  if (text === word) return 1;
  if (text.startsWith(word)) return 1 / 2;
  return text.includes(word) ? 1 / 4 : 0;
}
