import { parseArgs } from 'node:util';
import { FAULTS } from './faults/faults.js';
import { RULES } from './invariants/violation.js';
import { DEFAULTS, type SimulationOptions } from './options.js';

const WIDTH = Math.max(
  ...FAULTS.map(({ name }) => name.length),
  ...Object.keys(RULES).map(({ length }) => length),
);
const named = (entries: readonly (readonly [name: string, shows: string])[]) =>
  entries.map(([name, shows]) => `  ${name.padEnd(WIDTH)}  ${shows}`).join('\n');

export const HELP = `Runs a network of nodes and pods in one process, on a virtual clock and a virtual network, from one seed.
The same seed and arguments give the same run, byte for byte.

npm run simulate -- [options]

  --nodes <number>       nodes (${DEFAULTS.nodes})
  --pods <number>        pods (${DEFAULTS.pods})
  --components <number>  components in each pod (${DEFAULTS.components})
  --degree <number>      peers that each node has configured (${DEFAULTS.degree})
  --processes <number>   of each node; where there are several, they share a database (${DEFAULTS.processes})
  --hours <number>       virtual hours in which things happen, once the network has converged (${DEFAULTS.hours})
  --days <number>        the same in days
  --interval <minutes>   between two polls (${DEFAULTS.intervalMinutes})
  --join <minutes>       in which the nodes join, one after the other (a second for each node)
  --faults <names>       what goes wrong, separated by commas; "all" for everything; nothing when absent
  --bound <hours>        after which everything has to be right again (${DEFAULTS.boundHours.calm}; with faults, ${DEFAULTS.boundHours.faulty})
  --rest <hours>         before it is looked what a network costs in which nothing happens (0.6)
  --seed <number>        all chance follows from it (${DEFAULTS.seed})
  --seeds <number>       so many runs, with this seed and those that follow it
  --set <key>=<value>    a key of the configuration of all nodes, such as sync.streams=0; may be given several times
  --replay <numbers>     of all that would happen, only these, as a violation names them
  --shorten <number>     runs that look for a shorter history of what broke a rule, at most (60)
  --sizes <numbers>      one network of so many nodes after the other, with a table of what they cost
  --plot <file>          writes a picture of that table, in SVG
  --log <file>           writes the log there: every request, everything that happens
  --json                 prints the outcome as JSON
  --help                 shows this

The faults (those of databases where nodes have several processes):
${named(FAULTS.map(({ name, shows }) => [name, shows]))}

What must hold, at quiet points and at the end:
${named(Object.entries(RULES))}

The exit code is 1 when a rule is broken; then the seed, the shortest history that was found, and how to see it again
are printed.
`;

export interface CommandLine {
  readonly options: SimulationOptions;
  readonly seeds: number;
  /** Runs that look for a shorter history, at most. */
  readonly shorten: number;
  readonly json: boolean;
  readonly log: string | undefined;
  /** Numbers of nodes to compare; none for a single network. */
  readonly sizes: readonly number[];
  readonly plot: string | undefined;
}

const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;
const OPTIONS = {
  ...{ nodes: text, pods: text, components: text, degree: text, hours: text, days: text, interval: text },
  ...{
    processes: text,
    join: text,
    bound: text,
    rest: text,
    faults: text,
    seed: text,
    seeds: text,
    replay: text,
    shorten: text,
    sizes: text,
    plot: text,
    log: text,
    json: flag,
  },
  set: { type: 'string', multiple: true },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** Reads arguments; a text when there is nothing to run: what is wrong with them, or the help. */
export function readCommandLine(
  args: readonly string[],
): CommandLine | { readonly fault: string } | { readonly help: string } {
  try {
    const { values } = parseArgs({ args: [...args], options: OPTIONS });
    if (values.help) return { help: HELP };
    const number = (name: keyof typeof values & string, otherwise: number, least = 0) =>
      numberIn(name, values[name], otherwise, least);
    const nodes = number('nodes', DEFAULTS.nodes, 1);
    const hours = values.days === undefined ? number('hours', DEFAULTS.hours) : 24 * number('days', 0);
    const processes = number('processes', DEFAULTS.processes, 1);
    const faults = faultsIn(values.faults).filter((one) => processes > 1 || !one.isOfDatabase);
    return {
      options: {
        ...{ nodes, hours, pods: number('pods', DEFAULTS.pods) },
        components: number('components', DEFAULTS.components, 1),
        degree: Math.min(number('degree', DEFAULTS.degree), nodes - 1),
        processes,
        seed: number('seed', DEFAULTS.seed),
        intervalMinutes: number('interval', DEFAULTS.intervalMinutes, 1),
        joinMinutes: number('join', nodes / 60),
        restHours: values.rest === undefined ? undefined : number('rest', 0),
        boundHours: number(
          'bound',
          faults.length > 0 ? DEFAULTS.boundHours.faulty : DEFAULTS.boundHours.calm,
        ),
        faults,
        replay: values.replay === undefined ? undefined : numbersIn('replay', values.replay),
        config: configIn(values.set ?? []),
      },
      seeds: number('seeds', 1, 1),
      shorten: number('shorten', 60),
      json: values.json,
      log: values.log,
      sizes: values.sizes === undefined ? [] : numbersIn('sizes', values.sizes),
      plot: values.plot,
    };
  } catch (error) {
    return { fault: (error as Error).message };
  }
}

/** Options that may have a part after the point. */
const WITH_PARTS = ['hours', 'days', 'join', 'bound', 'rest'];

function numberIn(name: string, value: unknown, otherwise: number, least: number): number {
  if (value === undefined) return otherwise;
  const number = typeof value === 'string' && /^\d{1,9}(\.\d+)?$/.test(value) ? Number(value) : Number.NaN;
  const isWhole = Number.isInteger(number) || WITH_PARTS.includes(name);
  if (number >= least && isWhole) return number;
  throw new Error(
    `--${name} must be a ${WITH_PARTS.includes(name) ? '' : 'whole '}number, ${least} at least`,
  );
}

function numbersIn(name: string, text: string): number[] {
  if (!/^(\d+(,\d+)*)?$/.test(text)) throw new Error(`--${name} must be numbers, separated by commas`);
  return text === '' ? [] : text.split(',').map(Number);
}

function faultsIn(text: string | undefined) {
  if (text === undefined || text === '' || text === 'none') return [];
  if (text === 'all') return FAULTS;
  return text.split(',').map((name) => {
    const fault = FAULTS.find((one) => one.name === name);
    if (fault) return fault;
    const there = FAULTS.map((one) => one.name).join(', ');
    throw new Error(`no fault is called "${name}"; there are ${there}`);
  });
}

function configIn(settings: readonly string[]): Record<string, Record<string, unknown>> {
  const config: Record<string, Record<string, unknown>> = {};
  for (const setting of settings) {
    const [, section, key, value] = /^(\w+)\.(\w+)=(.*)$/.exec(setting) ?? [];
    if (section === undefined || key === undefined || value === undefined)
      throw new Error('--set must be like sync.streams=0');
    config[section] = {
      ...config[section],
      [key]: /^(\d+|true|false)$/.test(value) ? JSON.parse(value) : value,
    };
  }
  return config;
}
