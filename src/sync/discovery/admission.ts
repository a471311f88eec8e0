import type { ListedAddress } from '../../component/network-list.js';
import { sameBaseUrl } from '../../config/url.js';
import type { Config } from '../../config.js';
import { looksPublic } from '../../lib/fetch/address.js';
import type { RefusalReason } from '../../registry/refusal.js';
import { type HostRule, hostOf, hostRules } from './host-pattern.js';

/** What the operator has said of addresses, by URL. */
export type Decisions = ReadonlyMap<string, 'approve' | 'reject'>;

/** Rules that are kept beside the configuration. */
export interface HostLists {
  readonly deny: readonly HostRule[];
  /** Absent where there is no such list; then all is allowed that `discovery.allow` allows. */
  readonly allow?: readonly HostRule[];
  /** The lists that could not be read yet: until then, `deny` names everything, and `allow` nothing. */
  readonly unread?: readonly ('deny' | 'allow')[];
}

/** What says what may be learned. */
export interface LearningRules extends Pick<Config, 'baseUrl' | 'network'> {
  readonly discovery: Pick<Config['discovery'], 'allow' | 'deny' | 'approve'>;
  readonly lists?: HostLists;
  readonly decisions?: Decisions;
}

export interface Refused {
  readonly reason: RefusalReason;
  readonly note?: string;
}

/** Says why an address may not be learned; nothing when it may. */
export type Admission = (entry: Pick<ListedAddress, 'url' | 'via'>) => Refused | undefined;

/**
 * What may be learned: not the node itself, however it is spelled, nor what leads back to it; nothing that
 * `deny` names, and nothing else than `allow` names; no address that is visibly not public, unless private
 * ones may be learned (what a name resolves to is checked when it is connected to); nothing that the operator has
 * rejected, and nothing else than was approved, where approval is asked for.
 */
export function createAdmission(rules: LearningRules): Admission {
  const { discovery, network, lists, decisions } = rules;
  const own = sameBaseUrl(rules.baseUrl);
  const isOwn = (url: string) => sameBaseUrl(url) === own;
  const denying = hostRules(configured(discovery.deny), lists?.deny ?? []);
  const allowing = hostRules(configured(discovery.allow), lists?.allow ?? []);
  const isSelective = discovery.allow.length > 0 || lists?.allow !== undefined;
  return (entry) => {
    if (isOwn(entry.url) || entry.via.some(isOwn)) return { reason: 'own' };
    const url = new URL(entry.url);
    const denied = denying(url);
    if (denied) return { reason: 'denied', ...(denied.note === undefined ? {} : { note: denied.note }) };
    if (isSelective && !allowing(url)) return { reason: 'not-allowed' };
    if (!network.allowPrivate && !looksPublic(hostOf(url))) return { reason: 'private-address' };
    const decision = decisions?.get(sameBaseUrl(entry.url));
    if (decision === 'reject') return { reason: 'rejected' };
    return discovery.approve && decision !== 'approve' ? { reason: 'not-approved' } : undefined;
  };
}

function configured(patterns: readonly string[]): HostRule[] {
  return patterns.map((pattern) => ({ pattern }));
}
