import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../config.js';
import { type AuditRecord, auditFile } from '../lib/audit.js';
import { systemClock } from '../lib/clock.js';
import { AUDIT_FILE } from '../node/given.js';
import type { Terminal } from './terminal.js';

/**
 * Writes down what somebody did on the command line, in the trail of the node. A node may be running: it alone begins a
 * full file again.
 */
export async function recordOnCommandLine(
  deed: Omit<AuditRecord, 'at' | 'who'>,
  { dataDir }: Pick<Config, 'dataDir'>,
  note: Terminal['note'],
): Promise<void> {
  const log = {
    info: () => undefined,
    warn: (fields: object, message: string) => note(`${message}: ${JSON.stringify(fields)}`),
  };
  const audit = auditFile(join(dataDir, AUDIT_FILE), { clock: systemClock, log, isShared: true });
  await audit.record({ who: `command line (${userName()})`, ...deed });
}

/** In a container, a user may have no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
