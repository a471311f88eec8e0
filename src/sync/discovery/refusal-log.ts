import { type RefusalReason, type Refusals, UNINTENDED } from '../../core/refusal.js';
import type { LogTo } from '../../lib/log.js';

/** Refusals for each reason that are logged in the life of a node. */
const MOST_LOGGED = 100;

const UNREAD = 'an address that a peer tells of is not read';
const CUT = 'a list of a peer is longer than what is read of one';
const UNLOGGED =
  'no more addresses that are not read for this reason are logged; /network and /status count them';

/** Logs refusals once each, with how many there are of its reason; of what peers go on inventing, the beginning. */
export function refusalLog(log: LogTo<'info' | 'warn'>): (refusals: Refusals) => void {
  const logged = new Map<RefusalReason, Set<string>>();
  return ({ counts, examples }) => {
    for (const { url, kind, via, reason } of examples) {
      const ofReason = logged.get(reason) ?? new Set();
      if (ofReason.size > MOST_LOGGED || ofReason.has(`${kind} ${url}`)) continue;
      logged.set(reason, ofReason.add(`${kind} ${url}`));
      const message = reason === 'list-cut' ? CUT : UNREAD;
      const level = UNINTENDED.includes(reason) ? 'warn' : 'info';
      const fields = { url, kind, via, reason, count: counts[reason] };
      log[level](fields, ofReason.size > MOST_LOGGED ? UNLOGGED : message);
    }
  };
}
