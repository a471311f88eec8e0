import type { ListedAddress } from '../../component/network-list.js';
import { sameBaseUrl } from '../../config/url.js';
import type { Config } from '../../config.js';
import { looksPublic } from '../../lib/fetch/address.js';
import { hostMatcher, hostOf } from './host-pattern.js';

/** The part of the configuration that says what may be learned. */
export type LearningRules = Pick<Config, 'baseUrl' | 'discovery' | 'network'>;

/** Why an address is not learned. What leads back to this node is passed over, and nothing that anybody would miss. */
export type Refusal = 'own' | 'denied' | 'unlisted' | 'private';

/**
 * Why must this not be learned? It is the node itself, however it is spelled, or leads back to it; `deny` names it, or
 * `allow` does not; or its address is visibly not public, and private ones may not be learned. (What a name resolves to is
 * checked when it is connected to.) Undefined when it may.
 */
export function createAdmission({
  baseUrl,
  discovery,
  network,
}: LearningRules): (entry: Pick<ListedAddress, 'url' | 'via'>) => Refusal | undefined {
  const own = sameBaseUrl(baseUrl);
  const isOwn = (url: string) => sameBaseUrl(url) === own;
  const denied = hostMatcher(discovery.deny);
  const allowed = discovery.allow.length === 0 ? () => true : hostMatcher(discovery.allow);
  return (entry) => {
    if (isOwn(entry.url) || entry.via.some(isOwn)) return 'own';
    const url = new URL(entry.url);
    if (denied(url)) return 'denied';
    if (!allowed(url)) return 'unlisted';
    return network.allowPrivate || looksPublic(hostOf(url)) ? undefined : 'private';
  };
}
