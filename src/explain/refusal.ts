import type { SourceKind } from '../component/precedence.js';
import type { RefusalReason, Refused } from '../core/take.js';

/** An address that is not read. */
export interface Refusal extends Refused {
  readonly url: string;
  readonly kind: Exclude<SourceKind, 'local'>;
  /** The peer that told of it; the first of them, where several did. */
  readonly via: string;
}

/** What is refused, as it is shown. */
export interface ShownRefusals {
  /** Addresses by reason; reasons that nothing is refused for are left out. */
  readonly counts: Readonly<Partial<Record<RefusalReason, number>>>;
  /** The first of them for each reason. */
  readonly examples: readonly Refusal[];
}

/** Everything that is refused. */
export interface Refusals extends ShownRefusals {
  /** Of those that somebody should look at (`UNMEANT`), how many each peer has told of, by the URL of the peer. */
  readonly unmeantBy: Readonly<Record<string, number>>;
}

export const NO_REFUSALS: Refusals = { counts: {}, examples: [], unmeantBy: {} };

/** Reasons for which an address is refused although nobody may have meant it: the operator should look. */
export const UNMEANT: readonly RefusalReason[] = ['private-address', 'not-approved', 'over-cap'];

/** How many addresses somebody should look at. */
export function unmeantCount({ counts }: Pick<Refusals, 'counts'>): number {
  return UNMEANT.reduce((sum, reason) => sum + (counts[reason] ?? 0), 0);
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
  'not-approved': 'discovery.approve asks for the approval of the operator: POST /discovery',
  'beyond-depth': 'it is farther away than discovery.depth',
  'over-cap': 'discovery.maxPeers or discovery.maxPods are learned already',
};
