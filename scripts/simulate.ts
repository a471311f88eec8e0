/** `npm run simulate`: a network of nodes and pods in one process. */
import { openSync, writeSync } from 'node:fs';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { Costs } from './simulate/costs.js';
import { BEGIN, FAULTS } from './simulate/faults.js';
import { RULES } from './simulate/rules.js';
import { type Failure, type Outcome, type SimulationOptions, shorten, simulate } from './simulate/run.js';
import { MINUTE } from './simulate/time.js';
import { wholeNumber } from './whole-number.js';

type Config = SimulationOptions['config'];

interface CommandLine extends Omit<SimulationOptions, 'faults' | 'config'> {
  readonly faults: readonly string[];
  readonly set: Config;
  readonly seeds: number;
  readonly log?: string;
}

const rows = (shows: Readonly<Record<string, string>>) =>
  Object.entries(shows).map(([name, text]) => `\n  ${name.padEnd(15)}  ${text}`);

const FURTHER_HELP = `
The faults:${rows(FAULTS).join('')}

What must hold, at quiet points and at the end:${rows(RULES).join('')}

The exit code is 1 when a rule is broken; then the seed, the shortest history that was found, and how to see it again
are printed.`;

const args = process.argv.slice(2);
const command = new Command('npm run simulate --')
  .description(
    'Runs a network of nodes and pods in one process, on a virtual clock and a virtual network, ' +
      'from one seed.\n' +
      'The same seed and arguments give the same run, byte for byte.',
  )
  .option('--nodes <number>', 'nodes, of which one joins each second, all within a minute', wholeNumber(1), 8)
  .option('--pods <number>', 'pods', wholeNumber(0), 5)
  // More than a pod may lose without being asked again.
  .option('--components <number>', 'components in each pod', wholeNumber(1), 24)
  .option('--degree <number>', 'peers that each node has configured', wholeNumber(0), 3)
  .option('--processes <number>', 'of each node; several share a database', wholeNumber(1), 1)
  .option('--hours <number>', 'virtual hours in which things happen, once all is right', wholeNumber(0), 1)
  .addOption(
    new Option('--faults <names...>', 'what goes wrong').choices(['all', ...Object.keys(FAULTS)]).default([]),
  )
  .option('--seed <number>', 'all chance follows from it', wholeNumber(0), 1)
  .option('--seeds <number>', 'so many runs, with this seed and those that follow it', wholeNumber(1), 1)
  .option('--set <key=value>', 'of the configuration of all nodes; again for more keys', configIn, {})
  .option('--replay <numbers>', 'only these happen, as a violation names them', (text: string) =>
    text.split(',').filter(Boolean).map(wholeNumber(0)),
  )
  .option('--log <file>', 'writes the log there: every request, everything that happens')
  .allowExcessArguments(false)
  .addHelpText('after', FURTHER_HELP)
  .parse();
const { faults, set: config, seeds, log, ...given } = command.opts<CommandLine>();
const wanted = Object.entries(BEGIN).filter(([name]) => faults.includes('all') || faults.includes(name));
const degree = Math.min(given.degree, given.nodes - 1);
const network = { ...given, degree, config, faults: Object.fromEntries(wanted) };

for (let i = 0; i < seeds && process.exitCode === undefined; i++) {
  const options = { ...network, seed: network.seed + i };
  const file = log === undefined ? undefined : openSync(log, 'w');
  const began = performance.now();
  const result = await simulate(options, (line) => void (file && writeSync(file, line)));
  const seconds = (performance.now() - began) / 1000;
  if ('failure' in result) {
    process.exitCode = 1;
    console.log(`${failureText(result.failure, options.seed)}\nLooking for a shorter history …\n`);
    console.log(failureText(await shorten(options, result.failure), options.seed));
  } else {
    printOutcome(result.outcome, options);
    console.log(`${seconds.toFixed(1)} s, ${Math.round(process.memoryUsage().rss / 1_000_000)} MB`);
  }
}

function configIn(setting: string, before: Config): Config {
  const [, section = '', key = '', value = ''] = /^(\w+)\.(\w+)=(.*)$/.exec(setting) ?? [];
  if (section === '') throw new InvalidArgumentError('It must be like sync.streams=0.');
  const read = /^(\d+|true|false)$/.test(value) ? JSON.parse(value) : value;
  return { ...before, [section]: { ...before[section], [key]: read } };
}

/** Prints what a run has cost. */
function printOutcome(outcome: Outcome, { nodes, pods, seed }: SimulationOptions): void {
  const { joining, active, idle, convergence, digest } = outcome;
  const rounded = (figure: number) => Number(figure.toFixed(1));
  const column = ({ requests, bytes, podRequests, podBytes }: Costs, hours: number) => ({
    'requests by a node': rounded(requests / hours / nodes),
    'kB by a node': rounded(bytes / 1000 / hours / nodes),
    'requests to a pod': rounded(podRequests / hours / (pods || 1)),
    'kB to and from a pod': rounded(podBytes / 1000 / hours / (pods || 1)),
  });
  console.table({
    joining: column(joining, 1),
    'active hour': column(active, active.hours || 1),
    'idle hour': column(idle, idle.hours),
  });
  const { times, changes } = active;
  const [median, worst] = [times[times.length >> 1], times.at(-1)].map((ms = 0) => (ms / 1000).toFixed(2));
  // What goes over the wires while things happen, but for what goes over them anyhow.
  const ofChange = (figure: 'requests' | 'bytes') =>
    (active[figure] - (idle[figure] / idle.hours) * active.hours) / (changes || 1);
  const each = `${rounded(ofChange('requests'))} requests, ${rounded(ofChange('bytes') / 1000)} kB`;
  const when = `${(convergence / MINUTE).toFixed(1)} min`;
  console.log(`${changes} changes of documents were everywhere after ${median} s (median), ${worst} s (worst);
each cost ${each}
seed ${seed}: no rule broken; converged after ${when}; SHA-256 of the log ${digest}`);
}

/** What went wrong, what led there, and how to see it again. */
function failureText({ violation, elapsed, begun, history }: Failure, seed: number): string {
  return [
    `RULE BROKEN: ${RULES[violation.rule]}`,
    `  seed ${seed}, after ${(elapsed / MINUTE).toFixed(2)} virtual minutes: ${violation.message}`,
    'What led there:',
    ...history.map((line) => `  ${line}`),
    'To see it again:',
    // Of options that are given twice, the last one counts.
    `  npm run simulate -- ${[...args, '--seeds', 1, '--seed', seed].join(' ')} --replay "${begun.join()}"`,
  ].join('\n');
}
