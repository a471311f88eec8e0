import { takenFrom } from '../../../component/provenance.js';
import { sourceOfKey } from '../../../component/source.js';
import { takeStatement } from '../../../core/take.js';
import type { FeedSummary } from '../feed-page.js';
import { type FeedClient, notAPage } from './feed-client.js';
import type { FeedPolling } from './feed-polling.js';
import type { FeedFailure } from './feed-stop.js';

/** What of a peer is to be read whole, to begin with. */
interface ReadingPlan {
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
 * @param isMirror does the peer have sources under their own names, which it has from other nodes? (A mirror does.)
 */
export function readingPlan(
  { summaries, rules, names }: Pick<FeedPolling, 'summaries' | 'rules' | 'names'>,
  isMirror: boolean,
): ReadingPlan {
  const all = [...summaries.all.values()];
  const refused: { of: string; pods: string[] }[] = [];
  const accepted = all.filter(({ of }) => {
    const { kind, url } = sourceOfKey(of);
    const graph = { graph: url, isStored: names.isStored(of), of };
    const taken = kind === 'pod' ? takeStatement(graph, rules) : 'taken';
    const pod = taken === 'taken' ? undefined : taken.address;
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

function sumOfCounts(summaries: readonly FeedSummary[]): number {
  return summaries.reduce((sum, { count }) => sum + count, 0);
}

/**
 * Does a peer keep what it has from other nodes under the names that it has there? Only a mirror does; of what another
 * node has from others nothing is accepted, so it need not be read. The first such source tells.
 * @param sources all sources of the peer
 */
export async function isMirror(
  client: FeedClient,
  sources: Iterable<string>,
): Promise<boolean | FeedFailure> {
  for (const of of sources) {
    const { kind, url } = sourceOfKey(of);
    if (kind !== 'peer') continue;
    const reading = await client.ask({ path: '/feed/source', parameters: { url, kind }, limit: 1 });
    if (reading.kind === 'failed' && reading.status === 404) continue;
    if (reading.kind !== 'page') return notAPage('/feed/source', reading);
    const [first] = reading.page.changes;
    if (first) return !first.graph.startsWith(takenFrom(url, ''));
  }
  return false;
}
