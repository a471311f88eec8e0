import { sourceOfKey } from '../../../component/precedence.js';
import type { RelayPolicy } from '../../relay-policy.js';
import type { FeedLine } from './feed-page.js';

/** What of a peer is to be read whole, to begin with. */
export interface ReadingPlan {
  /** The sources of which something may be accepted; absent when all of the feed is read in one go. */
  readonly sources?: readonly string[];
  /** Sources of which nothing is accepted, because this node reads the pods itself. */
  readonly refused: readonly { readonly of: string; readonly pod: string }[];
  /** Components that there must be room for. */
  readonly needs: number;
}

/** Changes on a page, as peers cut them. */
const PAGE = 1000;
/** Requests more than pages of the whole feed that are made, so that nothing is sent in vain. */
const SPARED = 10;

/**
 * Source by source, as little as possible is sent that is not accepted; but it takes a request for each, and of many small
 * ones the whole feed comes sooner.
 * @param relays does the peer have sources under their own names, which it has from other nodes? (A mirror does.)
 */
export function readingPlan(lines: Iterable<FeedLine>, policy: RelayPolicy, relays: boolean): ReadingPlan {
  const all = [...lines];
  const refused: { of: string; pod: string }[] = [];
  const accepted = all.filter(({ of }) => {
    const { kind, url } = sourceOfKey(of);
    const pod = kind === 'pod' ? policy.refusal(url)?.pod : undefined;
    if (pod !== undefined) refused.push({ of, pod });
    return pod === undefined && (kind !== 'peer' || relays);
  });
  const needs = sumOfCounts(accepted);
  const pages = Math.ceil(sumOfCounts(all) / PAGE);
  const requests = accepted.reduce((sum, { count }) => sum + Math.max(1, Math.ceil(count / PAGE)), 0);
  const isAll = accepted.length === all.length || requests > 2 * pages + SPARED;
  return { ...(isAll ? {} : { sources: accepted.map(({ of }) => of) }), refused, needs };
}

function sumOfCounts(lines: readonly FeedLine[]): number {
  return lines.reduce((sum, { count }) => sum + count, 0);
}
