import type { ListedAddress } from '../../component/network-list.js';
import { sameBaseUrl } from '../../config/url.js';
import type { Config } from '../../config.js';
import { looksPublic } from '../../lib/fetch/address.js';
import { hostMatcher, hostOf } from './host-pattern.js';

/** The part of the configuration that says what may be learned. */
export type LearningRules = Pick<Config, 'baseUrl' | 'discovery' | 'network'>;

/**
 * May this be learned? Not the node itself, however it is spelled, nor what leads back to it; nothing that
 * `deny` names, and nothing else than `allow` names; no address that is visibly not public, unless private
 * ones may be learned. (What a name resolves to is checked when it is connected to.)
 */
export function createAdmission({
  baseUrl,
  discovery,
  network,
}: LearningRules): (entry: Pick<ListedAddress, 'url' | 'via'>) => boolean {
  const own = sameBaseUrl(baseUrl);
  const isOwn = (url: string) => sameBaseUrl(url) === own;
  const denied = hostMatcher(discovery.deny);
  const allowed = discovery.allow.length === 0 ? () => true : hostMatcher(discovery.allow);
  return (entry) => {
    if (isOwn(entry.url) || entry.via.some(isOwn)) return false;
    const url = new URL(entry.url);
    return !denied(url) && allowed(url) && (network.allowPrivate || looksPublic(hostOf(url)));
  };
}
