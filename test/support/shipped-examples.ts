import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { cleanup } from './cleanup.js';
import { TOP } from './docs.js';
import { type Started, startCommand } from './run-program.js';
import { tempDir } from './temp-dir.js';
import { waitFor } from './wait-for.js';

export const EXAMPLES = `${TOP}docs/examples/`;

/** Polls every second, so that a test need not wait five minutes; the examples leave the default. */
export const OFTEN = { REGISTRY_SYNC_SCHEDULE: '* * * * * *' };

/** A copy of a folder of examples, with texts replaced in all of its files. Gives its path. */
export async function copyOf(
  folder: string,
  replacements: Readonly<Record<string, string>>,
): Promise<string> {
  const copy = join(await tempDir(), folder);
  await cp(EXAMPLES + folder, copy, { recursive: true });
  for (const name of await readdir(copy)) {
    const text = await readFile(join(copy, name), 'utf8');
    await writeFile(join(copy, name), replaced(text, replacements));
  }
  return copy;
}

/** Replaces texts by others, in one go: what was put in is not looked at again. */
export function replaced(text: string, replacements: Readonly<Record<string, string>>): string {
  const escaped = Object.keys(replacements).map((from) => from.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'));
  if (escaped.length === 0) return text;
  return text.replace(new RegExp(escaped.join('|'), 'g'), (found) => replacements[found] ?? found);
}

/**
 * A program that stands for one that this machine need not have: it notes how it is called, with these variables, and stays
 * until it is stopped, if it is to.
 */
export async function standIn(
  name: string,
  { notes = [], stays = false }: { notes?: readonly string[]; stays?: boolean } = {},
): Promise<{ readonly path: string; calls(): Promise<string[]> }> {
  const folder = await tempDir();
  const log = join(folder, 'calls');
  const said = notes.map((variable) => `${variable}=$${variable} `).join('');
  const lines = ['#!/bin/sh', `echo "${said}$*" >>'${log}'`, ...(stays ? ['exec tail -f /dev/null'] : [])];
  await writeFile(join(folder, name), `${lines.join('\n')}\n`, { mode: 0o755 });
  return {
    path: `${folder}:${process.env.PATH}`,
    calls: async () => (await readFile(log, 'utf8').catch(() => '')).split('\n').filter(Boolean),
  };
}

/** Runs a command of an example until the test is over. `stop` sends SIGTERM, and resolves when it has ended. */
export function runCommand(...command: Parameters<typeof startCommand>) {
  const started = startCommand(...command);
  const stop = () => {
    started.child.kill('SIGTERM');
    return started.exit;
  };
  cleanup(stop);
  return { ...started, stop };
}

/** Waits until all nodes serve. `said`: what was said by what they are part of, for the message when they do not. */
export async function allServe(urls: readonly string[], { said }: Pick<Started, 'said'>): Promise<void> {
  const describe = () => `all to serve:\n${said()}`;
  for (const url of urls) {
    await waitFor(async () => (await fetch(`${url}/health`).catch(() => undefined))?.ok, { describe });
  }
}

interface Service {
  readonly ports: readonly string[];
  readonly extra_hosts: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** The services of an example's compose file, as compose reads it with these variables. @throws Error for one that is needed and not given */
export async function servicesOf(
  folder: string,
  variables: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, Service>>> {
  const text = await readFile(`${EXAMPLES}${folder}/compose.yaml`, 'utf8');
  const given = text.replace(/\$\{(\w+)(?::(-|\?)([^}]*))?\}/g, (_, name, kind, more) => {
    const value = variables[name] ?? (kind === '-' ? more : undefined);
    if (value === undefined) throw new Error(`${name}: ${more}`);
    return value;
  });
  return parse(given, { merge: true }).services;
}
