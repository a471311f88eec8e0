import { userInfo } from 'node:os';
import type { Config } from '../config.js';
import { auditIn, type Deed } from '../http/access/audit.js';
import { createLog, type Log } from '../lib/log.js';
import { nodeName } from '../node/node-name.js';
import type { Terminal } from './terminal.js';

/** The log of a command: on standard error, because standard output has the result. */
export function commandLog(level: string, note: Terminal['note']): Log {
  return createLog({ level, destination: { write: (line) => note(line.trimEnd()) } });
}

/** Logs what somebody did on the command line. */
export function recordOnCommandLine(
  deed: Omit<Deed, 'who'>,
  { listen, log: { level } }: Pick<Config, 'listen' | 'log'>,
  note: Terminal['note'],
): void {
  auditIn(commandLog(level, note), nodeName({ listen }))({ who: `command line (${userName()})`, ...deed });
}

/** In a container, a user may have no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
