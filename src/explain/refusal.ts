import { type Refusals, type ShownRefusals, UNINTENDED } from '../core/refusal.js';
import type { RefusalReason } from '../core/take.js';

/** How many addresses somebody should look at. */
export function unintendedCount({ counts }: Pick<Refusals, 'counts'>): number {
  return UNINTENDED.reduce((sum, reason) => sum + (counts[reason] ?? 0), 0);
}

/** What everybody may see: addresses that are not public say how a network is built, and are for its operator. */
export function publicRefusals({ counts, examples }: ShownRefusals): ShownRefusals {
  return { counts, examples: examples.filter(({ reason }) => reason !== 'private-address') };
}

/** What the operator can do about it, in a sentence. */
export const REFUSAL_ADVICE: Readonly<Record<RefusalReason, string>> = {
  own: 'it is this node itself, or leads back to it',
  denied: 'discovery.deny names its host',
  'not-allowed': 'discovery.allow does not name its host',
  'private-address': 'its address is not public; network.allowPrivate lets learned addresses be private',
  rejected: 'the operator has rejected it',
  'not-approved': 'it waits for the approval of the operator (discovery.approve), on /operate',
  'beyond-depth': 'it is farther away than discovery.depth',
  'over-cap': 'discovery.maxPeers or discovery.maxPods are learned already',
};
