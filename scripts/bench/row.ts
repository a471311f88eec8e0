import type { World } from './world.js';

/** One line of the table: what was measured, beside what, and what it is to reach. */
export interface Row {
  readonly name: string;
  /** What was done, and what the figure is divided by. */
  readonly meaning: string;
  /** At least or at most so much, and in which unit, like `≤ 1.1 ×`. */
  readonly goal: string | ((components: number) => string);
  /** Gives what is held against the goal, once per round. */
  readonly measure: (world: World) => Promise<readonly number[]>;
}

/** @throws Error for what is no figure */
export function spreadOf(values: readonly number[]) {
  if (values.length === 0 || !values.every(Number.isFinite))
    throw new Error(`not all are figures: ${values}`);
  const sorted = [...values].sort((one, other) => one - other);
  const at = (place: number) => sorted.at(place) ?? Number.NaN;
  return { median: at(sorted.length >>> 1), least: at(0), most: at(-1) };
}
