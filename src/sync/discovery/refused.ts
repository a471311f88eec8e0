import type { ListedAddress } from '../../component/network-list.js';
import type { RefusedAddresses } from '../../registry/activity.js';
import type { Refusal } from './admission.js';
import type { CheckedLists } from './offer.js';

/** Addresses that are named of those that one rule refuses. */
const EXAMPLES = 3;

/** Why addresses are refused. That others list this node itself is as it should be. */
const REASONS: readonly (readonly [Exclude<Refusal, 'own'>, string])[] = [
  ['denied', 'discovery.deny names them'],
  ['unlisted', 'discovery.allow does not name them'],
  ['private', 'their addresses are not public, and network.allowPrivate is off'],
];

/** What is not taken up of the list of a peer, by the rule that it breaks. Costs no more for long lists than for short ones. */
export function refusedOf(
  { url: peer, hops }: ListedAddress,
  kind: RefusedAddresses['kind'],
  lists: CheckedLists,
  list: readonly ListedAddress[],
  depth: number,
): RefusedAddresses[] {
  const refused = lists.refused(list);
  const far = lists.beyond(depth - hops - 1, list);
  const broken: RefusedAddresses[] = REASONS.map(([rule, reason]) => {
    const urls = refused.get(rule) ?? [];
    return { peer, kind, reason, count: urls.length, examples: urls.slice(0, EXAMPLES) };
  });
  broken.push({
    ...{ peer, kind },
    reason: `they are more than ${depth} hops away (discovery.depth)`,
    count: far.reduce((sum, { length }) => sum + length, 0),
    examples: (far[0] ?? []).slice(0, EXAMPLES).map(({ url }) => url),
  });
  return broken.filter(({ count }) => count > 0);
}
