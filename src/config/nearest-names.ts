import { editDistance } from '../lib/nearest.js';

/** Parts that are less alike than this are different words. */
const SAME_WORD = 0.6;
/** Names that share less than this of what was written are not meant. */
const MEANT = 0.5;
/** Most names that are suggested. */
const MOST = 3;

/**
 * The names that are probably meant by a mistyped one: those that have most of its parts, and of them those with the fewest
 * others. `PORT` means `LISTEN_PORT`, rather than `PODS`, which has almost the same letters. None when nothing fits.
 * @param names in capitals, their parts joined by `_`
 */
export function nearestNames(word: string, names: readonly string[]): string[] {
  const scores = names.map((name) => [name, likeness(word.toUpperCase(), name)] as const);
  const best = Math.max(MEANT, ...scores.map(([, score]) => score));
  return scores.flatMap(([name, score]) => (score === best ? [name] : [])).slice(0, MOST);
}

/** Between 0 and 1. */
function likeness(word: string, name: string): number {
  const [wanted, there] = [word.split('_'), name.split('_')];
  const found = wanted.map((part) => Math.max(...there.map((other) => wordLikeness(part, other))));
  const share = found.reduce((sum, one) => sum + one, 0) / wanted.length;
  const more = Math.max(0, there.length - wanted.length);
  // Parts that were written as one: BASEURL.
  return Math.max(share - more / 100, wordLikeness(wanted.join(''), there.join('')));
}

function wordLikeness(one: string, other: string): number {
  const alike = 1 - editDistance(one, other) / Math.max(one.length, other.length);
  return alike < SAME_WORD ? 0 : alike;
}
