/** `npm run bench`: measures what a node costs, most figures beside a floor in the same run, and prints a table. */
import { writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { type Figures, type Row, spreadOf } from './bench/row.js';
import { READING } from './bench/rows-reading.js';
import { RUNNING } from './bench/rows-running.js';
import { type Size, World } from './bench/world.js';

const HELP = `Measures what a node costs, most figures beside a floor in the same run.

npm run bench -- [options] [words of row names …]

  --components <number>  how many components there are (100000)
  --engine <name>        disk, or postgres, which needs PostgreSQL installed (disk)
  --quick                a tiny run that only shows that everything works
  --json <file>          writes every figure there, too
  --help                 shows this

Words pick rows: "npm run bench -- ingest memory" measures two. A whole run takes ten minutes with 100,000 components.
Nothing else should run meanwhile: most figures are ratios, but no floor helps against noise that comes and goes.
`;

const ROWS = [...READING, ...RUNNING];

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      components: { type: 'string' },
      engine: { type: 'string', default: 'disk' },
      quick: { type: 'boolean', default: false },
      json: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const { engine, quick, json } = values;
  const components = Number(values.components ?? (quick ? 1000 : 100_000));
  const rows = ROWS.filter(
    ({ name }) => positionals.length === 0 || positionals.some((text) => name.includes(text)),
  );
  if (engine !== 'disk' && engine !== 'postgres') throw new Error('--engine must be disk or postgres');
  if (!(Number.isSafeInteger(components) && components >= 100))
    throw new Error('--components must be a whole number, 100 at least');
  if (rows.length === 0)
    throw new Error(`no row is called that; there are:\n  ${ROWS.map(({ name }) => name).join('\n  ')}`);
  if (values.help) console.log(HELP);
  else {
    const size = quick
      ? { components, source: 500, rounds: 1, roundMs: 1000 }
      : { components, source: 10_000, rounds: 5, roundMs: 2000 };
    await bench(rows, new World(size, engine, say), json);
  }
} catch (error) {
  console.error(`${(error as Error).message}\n"npm run bench -- --help" shows what there is`);
  process.exitCode = 2;
}

async function bench(rows: readonly Row[], world: World, json: string | undefined): Promise<void> {
  const results: Result[] = [];
  const machine = machineText(world.size);
  console.log(`${machine}, ${world.engine}\n\n| row | goal | median (least – most) | |\n|---|---|---|---|`);
  try {
    for (const row of rows) {
      say(row.name);
      const goal = typeof row.goal === 'function' ? row.goal(world.size.components) : row.goal;
      const result = { ...row, goal, ...(await row.measure(world)) };
      say('');
      console.log(lineOf(result));
      results.push(result);
    }
    console.log(`\n${results.map(({ name, meaning }) => `- ${name}: ${meaning}`).join('\n')}`);
    if (json) writeFileSync(json, JSON.stringify({ machine, results }, null, 2));
  } finally {
    await world.close();
  }
}

type Result = Pick<Row, 'name' | 'meaning'> & Figures & { readonly goal: string };

/** A line of a table in Markdown; the figures behind it follow as a comment that no page shows. */
function lineOf({ name, goal, values, behind = {} }: Result): string {
  const { median, least, most } = spreadOf(values);
  const [sign, bound] = goal.split(' ');
  const isMet = sign === '≥' ? median >= Number(bound) : median <= Number(bound);
  const spread = least === most ? '' : ` (${number(least)} – ${number(most)})`;
  const figures = Object.entries(behind).map(([key, list]) => `${key} ${number(spreadOf(list).median)}`);
  const more = figures.length === 0 ? '' : ` <!-- ${figures.join(', ')} -->`;
  return `| ${name} | ${goal} | ${number(median)}${spread} | ${isMet ? '' : '**missed**'} |${more}`;
}

function say(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}

function number(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
}

function machineText({ components }: Size): string {
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  const today = new Date().toISOString().slice(0, 10);
  return `${components} components, ${today}, ${cpus().length} × ${cpu?.model.trim()}, ${memory} GB, Node ${process.version}`;
}
