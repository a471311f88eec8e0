import { parseArgs } from 'node:util';
import { SCENARIOS, type Scenario } from './scenarios.js';

const WIDTH = Math.max(...SCENARIOS.map(({ name }) => name.length));

export const HELP = `Runs the kill storms, soaks and attacks of the tests in their full size, one after the other.

npm run torture -- [options]

  --only <name>      only this scenario; may be given several times
  --rounds <number>  so many rounds instead of the full size of each scenario
  --seed <number>    repeats the random choices of a run; each run prints its seed
  --help             shows this

The scenarios:
${SCENARIOS.map(({ name, shows }) => `  ${name.padEnd(WIDTH)}  ${shows}`).join('\n')}

Ends with a line that counts what passed and failed; the exit code is 1 when anything failed.
`;

export interface TortureOptions {
  readonly scenarios: readonly Scenario[];
  /** The full size of each scenario when absent. */
  readonly rounds: number | undefined;
  readonly seed: number;
}

/** Reads arguments; a text when there is nothing to run: what is wrong with them, or the help. */
export function readTortureOptions(
  args: readonly string[],
  random: () => number,
): TortureOptions | { fault: string } | { help: string } {
  const values = parsed(args);
  if (values instanceof Error) return { fault: values.message };
  if (values.help) return { help: HELP };
  const unknown = values.only.find((wanted) => !SCENARIOS.some(({ name }) => name === wanted));
  if (unknown !== undefined)
    return { fault: `no scenario is called "${unknown}"; there are ${names(SCENARIOS)}` };
  const rounds = wholeNumber(values.rounds);
  const seed = wholeNumber(values.seed) ?? Math.floor(random() * 2 ** 31);
  if (rounds !== undefined && !(rounds >= 1)) return { fault: '--rounds must be a whole number, 1 at least' };
  if (!(seed >= 0)) return { fault: '--seed must be a whole number, 0 at least' };
  const scenarios = SCENARIOS.filter(({ name }) => values.only.length === 0 || values.only.includes(name));
  return { scenarios, rounds, seed };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        only: { type: 'string', multiple: true, default: [] },
        rounds: { type: 'string' },
        seed: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    return error as Error;
  }
}

/** `NaN` for a text that is no whole number. */
function wholeNumber(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  return /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
}

function names(scenarios: readonly Scenario[]): string {
  return scenarios.map(({ name }) => name).join(', ');
}
