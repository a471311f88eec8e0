import type { Refusals } from '../../core/refusal.js';
import type { RefusalReason } from '../../core/take.js';
import { REFUSAL_ADVICE } from '../../explain/refusal.js';
import type { LogTo } from '../../lib/log.js';

/** A reason is logged when it appears, not with each address. */
export function logNewReasons(before: Refusals, { counts, examples }: Refusals, log: LogTo<'info'>): void {
  for (const [reason, count] of Object.entries(counts)) {
    if (reason === 'own' || reason in before.counts) continue;
    const { url, via } = examples.find((one) => one.reason === reason) ?? {};
    const advice = REFUSAL_ADVICE[reason as RefusalReason];
    log.info({ reason, count, example: url, via }, `addresses that peers told of are not read: ${advice}`);
  }
}
