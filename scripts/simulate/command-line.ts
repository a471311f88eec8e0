import { Command, InvalidArgumentError } from 'commander';
import { FAULTS } from './faults.js';
import type { Kind } from './happenings.js';
import type { ConfigKeys } from './node.js';
import { RULES } from './rules.js';
import type { SimulationOptions } from './run.js';

export interface CommandLine extends SimulationOptions {
  readonly seeds: number;
  /** Runs that look for a shorter history, at most. */
  readonly shorten: number;
  readonly json: boolean;
  readonly log: string | undefined;
}

/** Hours: with faults, nodes wait longer and longer before they try again: an hour at most, a few times. */
const BOUND = { calm: 1, faulty: 8 };

/** Reads arguments. Where there is nothing to run, it prints why, and the process ends; @throws CommanderError when `exits` is false */
export function readCommandLine(args: readonly string[], exits = true): CommandLine {
  const width = Math.max(
    ...[...FAULTS.map(({ name }) => name), ...Object.keys(RULES)].map(({ length }) => length),
  );
  const named = (entries: readonly (readonly [name: string, shows: string])[]) =>
    entries.map(([name, shows]) => `  ${name.padEnd(width)}  ${shows}`).join('\n');
  const command = new Command('npm run simulate --')
    .description(
      'Runs a network of nodes and pods in one process, on a virtual clock and a virtual network, from one seed.\n' +
        'The same seed and arguments give the same run, byte for byte.',
    )
    .option('--nodes <number>', 'nodes', whole(1), 8)
    .option('--pods <number>', 'pods', whole(0), 5)
    // More than a pod may lose without being asked again.
    .option('--components <number>', 'components in each pod', whole(1), 24)
    .option('--degree <number>', 'peers that each node has configured', whole(0), 3)
    .option('--processes <number>', 'of each node; several share a database', whole(1), 1)
    .option(
      '--hours <number>',
      'virtual hours in which things happen, once the network has converged',
      number,
      1,
    )
    .option('--interval <minutes>', 'between two polls', whole(1), 5)
    .option(
      '--join <minutes>',
      'in which the nodes join, one after the other (default: a second for each)',
      number,
    )
    .option('--faults <names>', 'what goes wrong, separated by commas; "all" for everything', faultsIn, [])
    .option('--bound <hours>', 'until all is right again (default: 1; with faults, 8)', number)
    .option('--seed <number>', 'all chance follows from it', whole(0), 1)
    .option('--seeds <number>', 'so many runs, with this seed and those that follow it', whole(1), 1)
    .option(
      '--set <key=value>',
      'of the configuration of all nodes; may be given several times',
      configIn,
      {},
    )
    .option(
      '--replay <numbers>',
      'of all that would happen, only these, as a violation names them',
      numbersIn,
    )
    .option('--shorten <number>', 'runs that look for a shorter history of what broke a rule', whole(0), 60)
    .option('--log <file>', 'writes the log there: every request, everything that happens')
    .option('--json', 'prints the outcome as JSON', false)
    .allowExcessArguments(false)
    .addHelpText(
      'after',
      `
The faults (those of databases where nodes have several processes):
${named(FAULTS.map(({ name, shows }) => [name, shows]))}

What must hold, at quiet points and at the end:
${named(Object.entries(RULES))}

The exit code is 1 when a rule is broken; then the seed, the shortest history that was found, and how to see it again
are printed.`,
    );
  if (!exits)
    command.exitOverride().configureOutput({ writeErr: () => undefined, writeOut: () => undefined });
  const { set, ...given } = command.parse([...args], { from: 'user' }).opts();
  const faults = (given.faults as Kind[]).filter((one) => given.processes > 1 || !one.isOfDatabase);
  return {
    ...{ join: given.nodes / 60, bound: faults.length > 0 ? BOUND.faulty : BOUND.calm, log: undefined },
    ...(given as CommandLine),
    ...{ faults, degree: Math.min(given.degree, given.nodes - 1), config: set },
  };
}

function number(text: string): number {
  if (/^\d{1,9}(\.\d+)?$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a number.');
}

function whole(least: number): (text: string) => number {
  return (text) => {
    const read = number(text);
    if (Number.isInteger(read) && read >= least) return read;
    throw new InvalidArgumentError(`It must be a whole number, ${least} at least.`);
  };
}

function numbersIn(text: string): number[] {
  if (!/^(\d+(,\d+)*)?$/.test(text))
    throw new InvalidArgumentError('It must be numbers, separated by commas.');
  return text === '' ? [] : text.split(',').map(Number);
}

function faultsIn(text: string): readonly Kind[] {
  if (text === '' || text === 'none') return [];
  if (text === 'all') return FAULTS;
  return text.split(',').map((name) => {
    const fault = FAULTS.find((one) => one.name === name);
    if (!fault) throw new InvalidArgumentError(`No fault is called "${name}".`);
    return fault;
  });
}

function configIn(setting: string, before: ConfigKeys): ConfigKeys {
  const [, section = '', key = '', value = ''] = /^(\w+)\.(\w+)=(.*)$/.exec(setting) ?? [];
  if (section === '') throw new InvalidArgumentError('It must be like sync.streams=0.');
  const read = /^(\d+|true|false)$/.test(value) ? JSON.parse(value) : value;
  return { ...before, [section]: { ...before[section], [key]: read } };
}
