import { sourceOfKey } from '../../../component/source.js';
import type { GraphPolicy } from '../../graph-policy.js';
import type { FeedLine } from '../feed-page.js';

/** What of a peer is to be read whole, to begin with. */
export interface ReadingPlan {
  /** The sources of which something may be accepted. */
  readonly sources: readonly string[];
  /** Are they read with all of the feed in one go, and not one by one? */
  readonly isAll: boolean;
  /** The others, and the pods because of which nothing of them is accepted. */
  readonly refused: readonly { readonly of: string; readonly pods: readonly string[] }[];
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
 * @param options.isMirror does the peer have sources under their own names, which it has from other nodes? (A mirror does.)
 * @param options.holds is something of a source stored already?
 */
export function readingPlan(
  lines: Iterable<FeedLine>,
  policy: Pick<GraphPolicy, 'refusal'>,
  { isMirror, holds }: { readonly isMirror: boolean; readonly holds: (of: string) => boolean },
): ReadingPlan {
  const all = [...lines];
  const refused: { of: string; pods: string[] }[] = [];
  const accepted = all.filter(({ of }) => {
    const { kind, url } = sourceOfKey(of);
    const pod = kind === 'pod' ? policy.refusal(url, holds(of), of)?.address : undefined;
    const isAccepted = pod === undefined && (kind !== 'peer' || isMirror);
    if (!isAccepted) refused.push({ of, pods: pod === undefined ? [] : [pod] });
    return isAccepted;
  });
  const needs = sumOfCounts(accepted);
  const pages = Math.ceil(sumOfCounts(all) / PAGE);
  const requests = accepted.reduce((sum, { count }) => sum + Math.max(1, Math.ceil(count / PAGE)), 0);
  const isAll = accepted.length === all.length || requests > 2 * pages + SPARED;
  return { sources: accepted.map(({ of }) => of), isAll, refused, needs };
}

function sumOfCounts(lines: readonly FeedLine[]): number {
  return lines.reduce((sum, { count }) => sum + count, 0);
}
