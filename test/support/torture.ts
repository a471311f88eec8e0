import { appendFileSync } from 'node:fs';

/**
 * What `npm run torture` tells the scenarios that it runs, by environment variables. Without them a scenario runs
 * in its short form, as in `npm test`: with fewer rounds, and with the same checks.
 */
const { TORTURE_ROUNDS, TORTURE_SEED, TORTURE_ROWS } = process.env;

/** Does `npm run torture` run this? Then figures are taken with more care, and for a table. */
export const inTorture = TORTURE_ROUNDS !== undefined;

/** How many rounds to go: `full` in `npm run torture`, or as many as its `--rounds` says. */
export function rounds({ short, full }: { short: number; full: number }): number {
  if (TORTURE_ROUNDS === undefined) return short;
  return TORTURE_ROUNDS === 'full' ? full : Number(TORTURE_ROUNDS);
}

/**
 * The seed of a scenario's randomness: another one in every run, unless `npm run torture -- --seed` gives it. Name
 * it in the title of the test, so that a failure can be repeated.
 */
export const seed = Number(TORTURE_SEED ?? Math.floor(Math.random() * 2 ** 31));

/** A line of the table that `npm run torture` prints: figures by name, with their unit in the name. */
export type TortureRow = Readonly<Record<string, string | number>>;

/** Adds a line to the table of `npm run torture`; does nothing in other runs. */
export function tortureRow(attack: string, figures: TortureRow): void {
  if (TORTURE_ROWS !== undefined) appendFileSync(TORTURE_ROWS, `${JSON.stringify({ attack, ...figures })}\n`);
}
