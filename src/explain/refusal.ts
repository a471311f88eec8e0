import { type Refusals, UNINTENDED } from '../core/refusal.js';
import type { RefusalReason } from '../core/take.js';

export function unintendedCount({ counts }: Pick<Refusals, 'counts'>): number {
  return UNINTENDED.reduce((sum, reason) => sum + (counts[reason] ?? 0), 0);
}

/** What everybody may see: addresses that are not public say how a network is built, and are for its operator. */
export function publicRefusals({ counts, examples }: Refusals): Refusals {
  return { counts, examples: examples.filter(({ reason }) => reason !== 'private-address') };
}

/** What the operator can do about it, to be read behind one address or several and a colon. */
export const REFUSAL_ADVICE: Readonly<Record<RefusalReason, string>> = {
  'no-iri': 'none that RDF can hold (RFC 3987), percent-encoded either',
  'no-address':
    'no http(s) URL of a node or a pod, or one with a fragment, with a user name, or longer than 2,048 characters',
  own: 'this node itself, or what leads back to it',
  denied: 'discovery.deny names the host',
  'not-allowed': 'discovery.allow does not name the host',
  'private-address':
    'in a private network, which this node does not read of what it learns, unless network.allowPrivate is on',
  rejected: 'rejected by the operator',
  'not-approved': 'waiting for the approval of the operator (discovery.approve), on /network',
  'beyond-depth': 'farther away than discovery.depth',
  'over-cap': 'as many as discovery.maxPeers or discovery.maxPods allow are learned already',
  'list-cut': 'a list with more than 10,000 addresses, of which the others are not read',
};
