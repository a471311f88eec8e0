import type { Audit, AuditRecord } from '../../src/lib/audit.js';
import type { Clock } from '../../src/lib/clock.js';

/** An audit trail that lasts as long as the process. */
export function auditInMemory(clock: Pick<Clock, 'now'>): Audit {
  const entries: AuditRecord[] = [];
  return {
    async record(deed) {
      entries.unshift({ at: new Date(clock.now()).toISOString(), ...deed });
      entries.length = Math.min(entries.length, 100);
    },
    latest: async () => entries,
  };
}
