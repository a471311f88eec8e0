import type { DocumentChange } from '../core/document-change.js';
import type { SourceRecord, StoredSource } from '../core/source-record.js';
import { graphOf, type PeerRules, takeStatement } from '../core/take.js';
import type { Breather } from '../lib/pace.js';

/** What is taken of what a peer has, and what goes. */
export interface GraphChanges {
  readonly documents: readonly DocumentChange[];
  /** Addresses because of which documents of the peer are not taken. */
  readonly skipped: readonly string[];
  /** Documents that go because they are not taken any more, whether or not the peer still has them. */
  readonly dropped: ReadonlySet<string>;
}

/** What is not taken any more. */
export interface DroppedGraphs extends GraphChanges {
  /** The pods that are skipped, by source of the peer (`DocumentRecord.of`) where that is known. */
  readonly refused: ReadonlyMap<string, ReadonlySet<string>>;
}

/**
 * Removes documents that were taken before this node read their pod itself, or took it from other peers. Gives way to other
 * work: there may be thousands of documents.
 */
export async function dropRefused(
  stored: StoredSource | undefined,
  rules: PeerRules,
  breathe: Breather,
): Promise<DroppedGraphs> {
  const documents: DocumentChange[] = [];
  const skipped = new Set<string>();
  const refused = new Map<string, Set<string>>();
  for (const [url, { of }] of stored?.documents ?? []) {
    await breathe();
    const refusal = takeStatement({ graph: graphOf(url, rules), isStored: true, of }, rules);
    if (refusal === 'taken') continue;
    documents.push({ url, record: null });
    const { address } = refusal;
    if (address === undefined) continue;
    skipped.add(address);
    if (of !== undefined) refused.set(of, (refused.get(of) ?? new Set()).add(address));
  }
  const dropped = new Set(documents.map(({ url }) => url));
  return { documents, skipped: [...skipped].sort(), refused, dropped };
}

/** Both lists as one, each name once, in order. */
export function union(one: readonly string[], other: readonly string[]): readonly string[] {
  return [...new Set([...one, ...other])].sort();
}

export type RefusedSources = NonNullable<SourceRecord['refused']>;

/** What is remembered of sources of a peer, with more of it; the same when there is nothing new in it, as in most polls. */
export function withRefused(
  known: RefusedSources = {},
  more: Iterable<readonly [of: string, pods: Iterable<string>]>,
): RefusedSources {
  const changed = new Map<string, readonly string[]>();
  for (const [of, pods] of more) {
    const before = changed.get(of) ?? (Object.hasOwn(known, of) ? known[of] : undefined);
    const after = union(before ?? [], [...pods]);
    if (after.length !== before?.length) changed.set(of, after);
  }
  return changed.size === 0 ? known : { ...known, ...Object.fromEntries(changed) };
}
