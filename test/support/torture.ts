/**
 * `npm run torture` runs tests that kill, soak and attack in full; in `npm test` they have fewer rounds and the same checks.
 * `TORTURE=<number> npm run torture -- <file>` gives the rounds, `TORTURE_SEED` repeats the random choices of a run.
 */
const { TORTURE, TORTURE_SEED } = process.env;

/** Does `npm run torture` run this? Then figures are taken with more care. */
export const inTorture = TORTURE !== undefined;

/** How many rounds to go. */
export function rounds({ short, full }: { short: number; full: number }): number {
  if (!inTorture) return short;
  return Number(TORTURE) > 0 ? Number(TORTURE) : full;
}

/**
 * The seed of a test's randomness, another one in every run. Name it in the title of the test, so that a failure can be
 * repeated.
 */
export const seed = Number(TORTURE_SEED ?? Math.floor(Math.random() * 2 ** 31));

/** Figures by name, with their unit in the name. */
type TortureRow = Readonly<Record<string, string | number>>;

/** Prints what an attack did, in torture alone. */
export function tortureRow(attack: string, figures: TortureRow): void {
  const all = Object.entries(figures).map(([name, figure]) => `${name} ${figure}`);
  if (inTorture) console.log(`${attack}: ${all.join(', ')}`);
}
