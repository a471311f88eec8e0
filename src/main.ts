#!/usr/bin/env node
import { CommanderError } from 'commander';
import { createProgram } from './cli/program.js';
import { ConfigError } from './config/fault.js';
import { explain } from './lib/faults.js';
import { printableLines } from './lib/printable.js';

try {
  await createProgram({ say, note }).parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
}

/** Tells what went wrong, unless commander has told it already. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode;
  note(error instanceof ConfigError ? error.message : explain(error));
  return 1;
}

/** Everything that a command prints goes through here or `note`, whoever wrote the text. */
function say(text: string): void {
  process.stdout.write(`${printableLines(text)}\n`);
}

function note(text: string): void {
  process.stderr.write(`${printableLines(text)}\n`);
}
