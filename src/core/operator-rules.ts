import type { Config } from '../config.js';
import { canParseUrl } from '../lib/can-parse-url.js';
import { findPodAmong } from './find-pod.js';
import { hostJudge } from './host-rules.js';
import type { AddressRules, Decisions, RefusedStatement } from './take.js';

/** All that the operator says about what others tell of: the configuration, and decisions. */
export interface OperatorRules extends Pick<Config, 'baseUrl' | 'network'> {
  readonly discovery: Pick<Config['discovery'], 'allow' | 'deny' | 'approve'>;
  readonly decisions?: Decisions;
}

export function addressRules(rules: OperatorRules): AddressRules {
  const { baseUrl, network, discovery, decisions = new Map() } = rules;
  const { allowPrivate } = network;
  const { allow, deny, approve } = discovery;
  return { baseUrl, allowPrivate, approve, decisions, hosts: hostJudge(deny, allow) };
}

/**
 * What the operator says of documents, whoever passes them on: a peer that is trusted may pass on what this node cannot
 * reach, or what is too far away, but not what the operator has said no to. Configured pods are wanted in any case.
 */
export function documentRules(
  rules: OperatorRules & Pick<Config, 'pods'>,
): (document: string) => RefusedStatement | undefined {
  const { discovery, decisions = new Map() } = rules;
  const isConfigured = findPodAmong(rules.pods.map(({ url }) => url));
  const rejected = findPodAmong(
    [...decisions].flatMap(([url, decision]) => (decision === 'reject' ? [url] : [])),
  );
  const hosts = hostJudge(discovery.deny, discovery.allow);
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
