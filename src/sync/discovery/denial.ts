import type { Config } from '../../config.js';
import { canParseUrl } from '../../lib/can-parse-url.js';
import { type Coverage, coverageOf } from '../coverage.js';
import type { LearningRules } from './admission.js';
import { type HostRule, hostRules } from './host-pattern.js';

/** Hosts of which it is remembered whether they are denied. */
const REMEMBERED = 10_000;

/**
 * Finds the address because of which the operator does not want a document, whoever passes it on: what `deny` names, what
 * `allow` does not name, and what was rejected. A peer that is trusted may relay pods that this node cannot reach, or that
 * are too far away; it may not relay what the operator has said no to. Configured pods are wanted in any case. A list that
 * could not be read yet says nothing here: what is stored must not go because a server does not answer.
 */
export function denialBy(rules: LearningRules & Pick<Config, 'pods'>): Coverage {
  const isConfigured = coverageOf(rules.pods.map(({ url }) => url));
  const decided = [...(rules.decisions ?? [])];
  const rejected = coverageOf(decided.filter(([, decision]) => decision === 'reject').map(([url]) => url));
  const isHostDenied = deniedHosts(rules);
  return (document) => {
    if (!/^https?:/i.test(document) || !canParseUrl(document) || isConfigured(document) !== undefined)
      return undefined;
    return rejected(document) ?? isHostDenied(new URL(document));
  };
}

/** Finds the origin of a URL if its host is denied. There may be thousands of rules, and of documents. */
function deniedHosts({ discovery, lists }: LearningRules): (url: URL) => string | undefined {
  const unread = lists?.unread ?? [];
  const denying = hostRules(patterns(discovery.deny), unread.includes('deny') ? [] : (lists?.deny ?? []));
  const listed = unread.includes('allow') ? undefined : lists?.allow;
  const allowing = hostRules(patterns(discovery.allow), listed ?? []);
  const isSelective = discovery.allow.length > 0 ? !unread.includes('allow') : listed !== undefined;
  const known = new Map<string, boolean>();
  return (url) => {
    const { origin } = url;
    const isDenied = known.get(origin) ?? (denying(url) !== undefined || (isSelective && !allowing(url)));
    if (known.size >= REMEMBERED) known.clear();
    known.set(origin, isDenied);
    return isDenied ? `${origin}/` : undefined;
  };
}

function patterns(texts: readonly string[]): HostRule[] {
  return texts.map((pattern) => ({ pattern }));
}
