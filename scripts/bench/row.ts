import type { World } from './world.js';

/** One line of the table: what was measured, beside what, and what it is to reach. */
export interface Row {
  readonly name: string;
  /** What the figure is paired with, in words. */
  readonly floor: string;
  /** For some rows it depends on how much there is. */
  readonly target: Target | ((world: World) => Target);
  /** For the reader of the table: what was done, and how to read the figure. */
  readonly meaning: string;
  measure(world: World): Promise<Measured>;
}

/** Bounds, of which one may be absent. */
export interface Target {
  readonly least?: number;
  readonly most?: number;
}

export interface Measured {
  /** What is held against the target; one per repetition. */
  readonly values: readonly number[];
  /** How a value is written: `×`, `ms`, `MB` … */
  readonly unit: string;
  /** The figures behind the values, by name, one per repetition or one in all. */
  readonly figures: Readonly<Record<string, readonly number[]>>;
}

export function meets(
  value: number,
  { least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY }: Target,
): boolean {
  return value >= least && value <= most;
}

export function targetText({ least, most }: Target, unit: string): string {
  if (least !== undefined && most !== undefined) return `${least} – ${most} ${unit}`;
  return least === undefined ? `≤ ${most} ${unit}` : `≥ ${least} ${unit}`;
}
