import type { Config } from '../config.js';
import { canParseUrl } from '../lib/can-parse-url.js';
import { findPodAmong } from './find-pod.js';
import { type HostLists, type HostRule, hostJudge } from './host-rules.js';
import type { AddressRules, Decisions, RefusedStatement } from './take.js';

/** All that the operator says about what others tell of: the configuration, lists beside it, and decisions. */
export interface OperatorRules extends Pick<Config, 'baseUrl' | 'network'> {
  readonly discovery: Pick<Config['discovery'], 'allow' | 'deny' | 'approve'>;
  readonly lists?: HostLists;
  readonly decisions?: Decisions;
}

const NO_LISTS: HostLists = { deny: [] };

export function addressRules(rules: OperatorRules): AddressRules {
  const { baseUrl, network, discovery, lists = NO_LISTS, decisions = new Map() } = rules;
  const { allowPrivate } = network;
  const { approve } = discovery;
  return { baseUrl, allowPrivate, approve, decisions, hosts: hostsBy(discovery, lists) };
}

/**
 * What the operator says of documents, whoever passes them on: a peer that is trusted may pass on what this node cannot
 * reach, or what is too far away, but not what the operator has said no to. Configured pods are wanted in any case. A list
 * that could not be read yet says nothing here: what is stored must not go because a server does not answer.
 */
export function documentRules(
  rules: OperatorRules & Pick<Config, 'pods'>,
): (document: string) => RefusedStatement | undefined {
  const { discovery, lists = NO_LISTS, decisions = new Map() } = rules;
  const isConfigured = findPodAmong(rules.pods.map(({ url }) => url));
  const rejected = findPodAmong(
    [...decisions].flatMap(([url, decision]) => (decision === 'reject' ? [url] : [])),
  );
  const hosts = hostsBy(discovery, lists, lists.unread);
  return (document) => {
    if (!/^https?:/i.test(document) || !canParseUrl(document) || isConfigured(document) !== undefined)
      return undefined;
    const address = rejected(document);
    if (address !== undefined) return { reason: 'rejected', address };
    const url = new URL(document);
    const refused = hosts(url);
    return refused && { ...refused, address: `${url.origin}/` };
  };
}

/** @param without lists that are left out, and with one of what is allowed all that is allowed beside it */
function hostsBy(
  { deny, allow }: OperatorRules['discovery'],
  lists: HostLists,
  without: HostLists['unread'] = [],
): AddressRules['hosts'] {
  const denied = [rulesOf(deny), without.includes('deny') ? [] : lists.deny];
  const isSelective = (allow.length > 0 || lists.allow !== undefined) && !without.includes('allow');
  return hostJudge(denied, isSelective ? [rulesOf(allow), lists.allow ?? []] : undefined);
}

function rulesOf(patterns: readonly string[]): HostRule[] {
  return patterns.map((pattern) => ({ pattern }));
}
