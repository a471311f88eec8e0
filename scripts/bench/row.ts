import type { World } from './world.js';

/** One line of the table: what was measured, beside what, and what it is to reach. */
export interface Row {
  readonly name: string;
  /** What was done, and what the figure is divided by. */
  readonly meaning: string;
  /** At least or at most so much, and in which unit, like `≤ 1.1 ×`. */
  readonly goal: string | ((components: number) => string);
  readonly measure: (world: World) => Promise<Figures>;
}

/** What is held against the goal, once per round, and the figures behind it, by name. */
export interface Figures {
  readonly values: readonly number[];
  readonly behind?: Readonly<Record<string, readonly number[]>>;
}

/** @throws Error for what is no figure */
export function spreadOf(values: readonly number[]) {
  if (values.length === 0 || !values.every(Number.isFinite))
    throw new Error(`not all are figures: ${values}`);
  const sorted = [...values].sort((one, other) => one - other);
  const upper = sorted[sorted.length >>> 1] ?? Number.NaN;
  const lower = sorted[(sorted.length - 1) >>> 1] ?? Number.NaN;
  return { median: (lower + upper) / 2, least: sorted[0] ?? Number.NaN, most: sorted.at(-1) ?? Number.NaN };
}

/** Each value divided by the one that was measured beside it. */
export function ratios(values: readonly number[], floors: readonly number[]): number[] {
  return values.map((value, i) => value / (floors[i] ?? Number.NaN));
}
