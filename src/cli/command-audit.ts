import { userInfo } from 'node:os';
import type { Config } from '../config.js';
import { auditIn, type Deed } from '../http/access/audit.js';
import { createLog } from '../lib/log.js';
import { nodeName } from '../node/node-name.js';
import type { Terminal } from './terminal.js';

/** Logs what somebody did on the command line: on standard error, because standard output has the result. */
export function recordOnCommandLine(
  deed: Omit<Deed, 'who'>,
  { listen, log: { level } }: Pick<Config, 'listen' | 'log'>,
  note: Terminal['note'],
): void {
  const log = createLog({ level, destination: { write: (line) => note(line.trimEnd()) } });
  auditIn(log, nodeName({ listen }))({ who: `command line (${userName()})`, ...deed });
}

/** In a container, a user may have no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
