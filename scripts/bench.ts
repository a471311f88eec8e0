/** `npm run bench`: measures what a node costs, each figure beside its floor in the same run, and prints a table. */
import { writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { type BenchOptions, readBenchOptions } from './bench/command-line.js';
import { type Measured, meets, type Row, type Target, targetText } from './bench/row.js';
import { FEED } from './bench/rows-feed.js';
import { FOLLOWING } from './bench/rows-following.js';
import { LISTING } from './bench/rows-listing.js';
import { NEWS } from './bench/rows-news.js';
import { POSTGRES } from './bench/rows-postgres.js';
import { READING } from './bench/rows-reading.js';
import { RUNNING } from './bench/rows-running.js';
import { WRITING } from './bench/rows-writing.js';
import { spreadOf } from './bench/statistics.js';
import { type Size, World } from './bench/world.js';

const ROWS: readonly Row[] = [...READING, ...LISTING, ...WRITING, ...RUNNING, ...FEED, ...FOLLOWING, ...NEWS];

const options = readBenchOptions(process.argv.slice(2));
if ('help' in options) console.log(options.help);
else if ('fault' in options) {
  console.error(`${options.fault}; "npm run bench -- --help" shows what there is`);
  process.exitCode = 2;
} else await bench(options);

async function bench({ engine, components, quick, json, wanted }: BenchOptions): Promise<void> {
  const all = engine === 'disk' ? ROWS : POSTGRES;
  const rows = all.filter(({ name }) => wanted.length === 0 || wanted.some((text) => name.includes(text)));
  if (rows.length === 0) {
    console.error(`no row is called that; there are:\n  ${all.map(({ name }) => name).join('\n  ')}`);
    process.exitCode = 2;
    return;
  }
  const size: Size = quick
    ? { components, source: 500, rounds: 1, roundMs: 200, polls: 30 }
    : { components, source: 10_000, rounds: 7, roundMs: 2000, polls: 10_000 };
  const world = new World(size, say);
  const results: Result[] = [];
  try {
    console.log(`${components} components · ${new Date().toISOString().slice(0, 10)} · ${machine()}\n`);
    for (const row of rows) {
      say(row.name);
      const measured = await row.measure(world);
      say('');
      const target = typeof row.target === 'function' ? row.target(world) : row.target;
      const { name, floor, meaning } = row;
      const spread = spreadOf(measured.values);
      results.push({
        name,
        floor,
        target,
        meaning,
        met: meets(spread.median, target),
        ...spread,
        ...measured,
      });
      print(row, target, measured);
    }
    console.log(results.map(tableLine).join('\n'));
    if (json) writeFileSync(json, JSON.stringify({ size, machine: machine(), results }, null, 2));
  } finally {
    await world.close();
  }
}

interface Result extends Measured {
  readonly name: string;
  readonly floor: string;
  readonly target: Target;
  readonly meaning: string;
  readonly met: boolean;
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** A line of a table in Markdown. */
function tableLine({ name, target, unit, median, least, most, met }: Result): string {
  const spread = least === most ? '' : ` (${number(least)} – ${number(most)})`;
  return `| ${name} | ${targetText(target, unit)} | ${number(median)}${spread} | ${met ? 'met' : 'missed'} |`;
}

function say(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}

function print(row: Row, target: Target, { values, unit, figures }: Measured): void {
  const { median, least, most } = spreadOf(values);
  const verdict = meets(median, target) ? 'met' : 'NOT MET';
  console.log(`${row.name}   ${verdict}`);
  console.log(
    `  ${number(median)} ${unit} (${number(least)} to ${number(most)}), to reach: ${targetText(target, unit)}`,
  );
  for (const [name, list] of Object.entries(figures))
    console.log(`  ${name}: ${number(spreadOf(list).median)}`);
  console.log(`  floor: ${row.floor}\n  ${row.meaning}\n`);
}

function number(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
}

function machine(): string {
  const [cpu] = cpus();
  return `${cpus().length} × ${cpu?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.version}`;
}
