/** `npm run bench`: measures what a node costs, most figures beside a floor in the same run, and prints a table. */
import { cpus, totalmem } from 'node:os';
import { Command, Option } from 'commander';
import { runCleanup } from '../test/support/cleanup.js';
import { type Row, spreadOf } from './bench/row.js';
import { READING } from './bench/rows-reading.js';
import { RUNNING } from './bench/rows-running.js';
import { type Size, World } from './bench/world.js';
import { wholeNumber } from './whole-number.js';

const ROWS = [...READING, ...RUNNING];

const command = new Command('npm run bench --')
  .description(
    'Measures what a node costs, most figures beside a floor in the same run.\n' +
      'A whole run takes five minutes with 100,000 components. Nothing else should run meanwhile: most figures are ' +
      'ratios, but no floor helps against noise that comes and goes.',
  )
  .argument(
    '[words...]',
    'measures only the rows that have one of these in their names, like "ingest memory"',
  )
  .option('--components <number>', 'how many components there are (default: 100000)', wholeNumber(100))
  .addOption(new Option('--engine <name>').choices(['disk', 'postgres'] as const).default('disk' as const))
  .option('--quick', 'a tiny run that only shows that everything works', false)
  .addHelpText('after', `\nRows:\n  ${ROWS.map(({ name }) => name).join('\n  ')}`)
  .parse();
const { components, engine, quick } = command.opts<Options>();
const words = command.args;
const rows = ROWS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
if (rows.length === 0) command.error('no row is called that; --help names them');
const size = quick
  ? { components: components ?? 1000, source: 500, rounds: 1, roundMs: 300 }
  : { components: components ?? 100_000, source: 10_000, rounds: 5, roundMs: 2000 };
await bench(rows, new World(size, engine, say));

interface Options {
  readonly components?: number;
  readonly engine: World['engine'];
  readonly quick: boolean;
}

async function bench(rows: readonly Row[], world: World): Promise<void> {
  console.log(`${machineText(world.size)}, ${world.engine}\n`);
  console.log('| row | goal | median (least – most) | |\n|---|---|---|---|');
  try {
    for (const row of rows) {
      say(row.name);
      const values = await row.measure(world);
      say('');
      console.log(lineOf(row, values, world.size));
    }
    console.log(`\n${rows.map(({ name, meaning }) => `- ${name}: ${meaning}`).join('\n')}`);
  } finally {
    await runCleanup();
  }
}

/** A line of a table in Markdown. */
function lineOf({ name, goal: of }: Row, values: readonly number[], { components }: Size): string {
  const goal = typeof of === 'function' ? of(components) : of;
  const { median, least, most } = spreadOf(values);
  const [sign, bound] = goal.split(' ');
  const isMet = sign === '≥' ? median >= Number(bound) : median <= Number(bound);
  const spread = least === most ? '' : ` (${number(least)} – ${number(most)})`;
  return `| ${name} | ${goal} | ${number(median)}${spread} | ${isMet ? '' : '**missed**'} |`;
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
