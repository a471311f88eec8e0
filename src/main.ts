#!/usr/bin/env node
import { programName } from './cli/program-name.js';
import type { Terminal } from './cli/runnable-verb.js';
import { DEFAULT_VERB, PROGRAM, VERBS } from './cli/verbs.js';
import { ConfigError } from './config/fault.js';
import { type FlagValues, helpText, parseCommand } from './lib/command-line.js';
import { explain } from './lib/faults.js';
import { VERSION } from './lib/version.js';

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number | undefined> {
  const program = programName(process.argv[1] ?? PROGRAM, process.cwd());
  const command = parseCommand(args, VERBS, DEFAULT_VERB);
  switch (command.kind) {
    case 'fault':
      return refuse(`${command.detail}; see ${program} --help`, 2);
    case 'help':
      return say(helpText(program, VERBS, command.verb));
    case 'version':
      return say(VERSION);
    case 'verb':
      return run(command.verb, command.flags, command.argument, { say, note, interrupted, program });
  }
}

async function run(
  name: string,
  flags: FlagValues,
  argument: string | undefined,
  terminal: Terminal,
): Promise<number | undefined> {
  try {
    const verb = await VERBS[name]?.load();
    return await verb?.run(flags, argument, terminal);
  } catch (error) {
    return refuse(error instanceof ConfigError ? error.message : explain(error), 1);
  }
}

function say(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}

function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** From now on, the first signal that ends the process only aborts this one; the second ends it. */
function interrupted(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'])
    process.once(signal, () => controller.abort(new Error(`ended by ${signal}`)));
  return controller.signal;
}

function refuse(text: string, code: number): number {
  note(text);
  return code;
}
