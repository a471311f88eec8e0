import { createHash } from 'node:crypto';
import type { Random } from '../../src/lib/clock.js';
import { seededRandom } from '../../test/support/seeded-random.js';

/** Random numbers of their own for each purpose: what one part of a simulation draws changes nothing for the others. */
export function substream(seed: number, ...purpose: readonly (string | number)[]): Random {
  const hash = createHash('sha256').update(JSON.stringify([seed, ...purpose]));
  return seededRandom(hash.digest().readInt32LE(0));
}

/** One of the items, each with the same probability. @throws TypeError when there are none */
export function pick<T>(random: Random, items: readonly T[]): T {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new TypeError('There is nothing to pick from');
  return item;
}

/** Up to so many different items, in random order. */
export function sample<T>(random: Random, items: readonly T[], count: number): T[] {
  const left = [...items];
  const taken: T[] = [];
  while (taken.length < count && left.length > 0)
    taken.push(...left.splice(Math.floor(random() * left.length), 1));
  return taken;
}

/** A whole number from `least` to `most`, both included. */
export function between(random: Random, least: number, most: number): number {
  return least + Math.floor(random() * (most - least + 1));
}
