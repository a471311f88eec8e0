import { type Config, loadConfig } from '../config.js';
import { systemClock } from '../lib/clock.js';
import { explain } from '../lib/faults.js';
import { createLog, lineForPeople } from '../lib/log.js';
import { PACKAGE_FOLDER } from '../lib/package-folder.js';
import { createNode } from '../node.js';
import { type SetName, SHIPPED_SETS } from '../shipped-set.js';
import { prepareStarter } from './prepare-starter.js';
import { endOnSignals } from './signals.js';
import type { ConfigOptions, Terminal } from './terminal.js';

export type ServeOptions = ConfigOptions & Readonly<Partial<Record<SetName, true>>>;

/** Runs a node until a signal ends the process, which is why there is no exit code. */
export async function run(options: ServeOptions, { note }: Terminal): Promise<undefined> {
  const shipped = SHIPPED_SETS.filter((name) => options[name]);
  // Somebody who only looks around need not write a configuration first.
  const config = loadConfig({ file: options.config, isOptional: shipped.length > 0 });
  if (shipped[0] && config.mode === 'mirror')
    throw new Error(
      `a mirror shows what its peers show: start it without --${shipped[0]}, or set mode to "registry"`,
    );
  if (shipped.includes('starter')) await prepareStarter(PACKAGE_FOLDER, note);
  const rewritten = process.stdout.isTTY ? await lineForPeople() : undefined;
  const log = createLog({ level: config.log.level, rewritten });
  const node = createNode(config, { log }, { shipped });
  let stopping = false;
  const stop = () => {
    stopping = true;
    return node.stop();
  };
  endOnSignals(process, stop, { clock: systemClock, log });
  try {
    await node.start();
    return undefined;
  } catch (error) {
    // A start that a signal broke off has no fault to tell of; the signal ends the process.
    if (stopping) return undefined;
    note(startFault(error, config));
    // Whatever the failed start has left open must not keep the process.
    process.exit(1);
  }
}

/** Why a node did not start, in the operator's words where the reason is one that operators meet. */
function startFault(error: unknown, { listen }: Config): string {
  const known: Record<string, string> = {
    EADDRINUSE:
      `port ${listen.port} on ${listen.host} is in use: ` +
      'stop the program that has it, or set listen.port (REGISTRY_LISTEN_PORT)',
    EADDRNOTAVAIL: `${listen.host} is not an address of this machine: set listen.host (REGISTRY_LISTEN_HOST)`,
  };
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const words = known[(at as NodeJS.ErrnoException).code ?? ''];
    if (words) return words;
  }
  return `the node cannot start: ${explain(error)}`;
}
