/**
 * Measures what a node costs, each figure beside its floor in the same run, and prints a table.
 * `npm run bench -- [--components 100000] [--quick] [--json <file>] [row names …]`
 */
import { writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { type Measured, meets, type Row, type Target, targetText } from './bench/row.js';
import { LISTING } from './bench/rows-listing.js';
import { READING } from './bench/rows-reading.js';
import { RUNNING } from './bench/rows-running.js';
import { WRITING } from './bench/rows-writing.js';
import { spreadOf } from './bench/statistics.js';
import { type Size, World } from './bench/world.js';

const ROWS: readonly Row[] = [...READING, ...LISTING, ...WRITING, ...RUNNING];

const { values: options, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: {
    components: { type: 'string' },
    quick: { type: 'boolean', default: false },
    json: { type: 'string' },
  },
});

const components = Number(options.components ?? (options.quick ? 1000 : 100_000));
const size: Size = options.quick
  ? { components, source: 500, rounds: 1, roundMs: 200, polls: 30 }
  : { components, source: 10_000, rounds: 7, roundMs: 2000, polls: 10_000 };

const say = (text: string) => {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
};
const world = new World(size, say);
try {
  const rows = ROWS.filter(({ name }) => wanted.length === 0 || wanted.some((text) => name.includes(text)));
  const results: object[] = [];
  console.log(`${components} components · ${new Date().toISOString().slice(0, 10)} · ${machine()}\n`);
  for (const row of rows) {
    say(row.name);
    const measured = await row.measure(world);
    say('');
    const target = typeof row.target === 'function' ? row.target(world) : row.target;
    const { median, least, most } = spreadOf(measured.values);
    const met = meets(median, target);
    results.push({
      name: row.name,
      floor: row.floor,
      target,
      meaning: row.meaning,
      met,
      median,
      least,
      most,
      ...measured,
    });
    print(row, target, measured);
  }
  if (options.json)
    writeFileSync(options.json, JSON.stringify({ size, machine: machine(), results }, null, 2));
} finally {
  await world.close();
}

function print(row: Row, target: Target, { values, unit, figures, absent }: Measured): void {
  const { median, least, most } = spreadOf(values);
  const verdict = absent ?? (meets(median, target) ? 'met' : 'NOT MET');
  console.log(`${row.name}   ${verdict}`);
  if (!absent) {
    console.log(
      `  ${number(median)} ${unit} (${number(least)} to ${number(most)}), to reach: ${targetText(target, unit)}`,
    );
  }
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
