import { parseArgs } from 'node:util';

export const HELP = `Measures what a node costs, each figure beside its floor in the same run.

npm run bench -- [options] [words of row names …]

  --components <number>  how many components there are (100000)
  --engine <name>        disk, or postgres: rows of their own (disk)
  --quick                a tiny run that only shows that everything works
  --json <file>          writes every figure there, too
  --help                 shows this

Words pick rows: "npm run bench -- ingest memory" measures two. A whole run takes eight minutes with 100,000
components; with --engine postgres, which needs PostgreSQL installed and has 1,000,000 components, ten minutes.
Nothing else should run meanwhile: most figures are ratios, but a floor is no help against noise
that comes and goes.
`;

export interface BenchOptions {
  readonly engine: 'disk' | 'postgres';
  readonly components: number;
  readonly quick: boolean;
  readonly json: string | undefined;
  /** Rows whose name holds one of these; all of them when empty. */
  readonly wanted: readonly string[];
}

/** Reads arguments; a text when there is nothing to measure: what is wrong with them, or the help. */
export function readBenchOptions(
  args: readonly string[],
): BenchOptions | { fault: string } | { help: string } {
  const parsed = parsedArgs(args);
  if (parsed instanceof Error) return { fault: parsed.message };
  const { values, positionals: wanted } = parsed;
  if (values.help) return { help: HELP };
  const { quick, json, engine } = values;
  if (engine !== 'disk' && engine !== 'postgres') return { fault: '--engine must be disk or postgres' };
  const usual = engine === 'disk' ? 100_000 : 1_000_000;
  const components = Number(values.components ?? (quick ? 1000 : usual));
  if (!Number.isSafeInteger(components) || components < 100)
    return { fault: '--components must be a whole number, 100 at least' };
  return { engine, components, quick, json, wanted };
}

function parsedArgs(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        components: { type: 'string' },
        engine: { type: 'string', default: 'disk' },
        quick: { type: 'boolean', default: false },
        json: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    return error as Error;
  }
}
