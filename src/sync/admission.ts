import { sameBaseUrl } from '../config/url.js';
import type { Config } from '../config.js';
import { looksPublic } from '../lib/address.js';
import { hostMatcher, hostOf } from './host-pattern.js';

/** The part of the configuration that says what may be learned. */
export type LearningRules = Pick<Config, 'baseUrl' | 'discovery' | 'network'>;

/**
 * May this URL be learned? Not the node itself, however it is spelled; nothing that `deny` names, and nothing
 * else than `allow` names; no address that is visibly not public, unless private ones may be learned. (What
 * a name resolves to is seen, and checked, only when it is connected to.)
 */
export function createAdmission({ baseUrl, discovery, network }: LearningRules): (url: string) => boolean {
  const own = sameBaseUrl(baseUrl);
  const denied = hostMatcher(discovery.deny);
  const allowed = discovery.allow.length === 0 ? () => true : hostMatcher(discovery.allow);
  return (text) => {
    const url = new URL(text);
    if (sameBaseUrl(text) === own) return false;
    return !denied(url) && allowed(url) && (network.allowPrivate || looksPublic(hostOf(url)));
  };
}
