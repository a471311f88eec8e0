import { between, pick, substream } from '../time/substream.js';
import type { HappeningKind } from './happening.js';

/** Something that will happen. All of it follows from its number and the seed: it happens alike whatever else does. */
export interface Planned {
  readonly number: number;
  readonly kind: HappeningKind;
  /** Ms since the round began. */
  readonly at: number;
  /** Ms until it is put right, where there is something to be put right. */
  readonly lasts: number;
}

export interface PlanOptions {
  readonly seed: number;
  readonly round: number;
  readonly changes: { readonly kinds: readonly HappeningKind[]; readonly count: number };
  readonly faults: { readonly kinds: readonly HappeningKind[]; readonly count: number };
  /** Ms in which everything happens, and is put right. */
  readonly length: number;
}

const MINUTE = 60_000;
/** More than ever happen in one round: numbers are unique over all rounds. */
const PER_ROUND = 10_000;
/** Of each round, changes are before it. */
const FIRST_FAULT = PER_ROUND / 2;

/** Is it the number of a fault, and not of a change? */
export function isFault(number: number): boolean {
  return number % PER_ROUND >= FIRST_FAULT;
}

/** What happens in one round, in the order of time. */
export function planRound({ seed, round, changes, faults, length }: PlanOptions): Planned[] {
  const random = substream(seed, 'plan', round);
  const plan = (kinds: readonly HappeningKind[], from: number, count: number) =>
    Array.from({ length: kinds.length === 0 ? 0 : count }, (_, i): Planned => {
      const at = Math.floor(random() * length * 0.75);
      const lasts = Math.min(between(random, MINUTE, 20 * MINUTE), length - at);
      return { number: round * PER_ROUND + from + i, kind: pick(random, kinds), at, lasts };
    });
  const planned = [
    ...plan(changes.kinds, 0, changes.count),
    ...plan(faults.kinds, FIRST_FAULT, faults.count),
  ];
  return planned.sort((one, other) => one.at - other.at || one.number - other.number);
}
