import { authoredName, takenFrom } from '../component/provenance.js';
import { type RefusedStatement, type StatementRules, takeStatement } from '../core/take.js';
import type { Breather } from '../lib/pace.js';
import type { DocumentChange } from '../registry/source-change.js';
import type { SourceRecord, StoredSource } from '../registry/source-record.js';

/** Decides which of a peer's graphs are taken, and under which names they are stored. */
export interface GraphPolicy {
  /** Is everything taken, and shown as what it is at the peer? */
  readonly isMirror: boolean;
  /** The document that a graph of the peer is kept as. */
  nameOf(graph: string): string;
  /** The graph that a document was where it was written. */
  graphOf(document: string): string;
  /**
   * Why a graph is not taken.
   * @param isStored is something of the same source stored already? Then nothing is awaited.
   * @param of the source of the peer that has the graph (`DocumentRecord.of`), where that is known
   */
  refusal(graph: string, isStored: boolean, of?: string): RefusedStatement | undefined;
}

/** Of a peer, a node keeps what is taken of it (`takeStatement`), each graph under a name that tells from whom it is. */
export function graphPolicy(peer: string, rules: StatementRules): GraphPolicy {
  return {
    isMirror: false,
    nameOf: (graph) => takenFrom(peer, graph),
    graphOf: authoredName,
    refusal(graph, isStored, of) {
      const verdict = takeStatement({ graph, isStored, of }, rules);
      return verdict === 'taken' ? undefined : verdict;
    },
  };
}

/** A mirror takes everything, under the names that it has at its upstream. */
export const TAKE_ALL: GraphPolicy = {
  isMirror: true,
  nameOf: (graph) => graph,
  graphOf: (document) => document,
  refusal: () => undefined,
};

/** What a policy makes of what a peer has, or had. */
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
 * Removes documents that were accepted before this node read their pod itself, or took it from other peers. Gives way to other work on the way:
 * there may be thousands of documents.
 */
export async function dropRefused(
  stored: StoredSource | undefined,
  policy: GraphPolicy,
  breathe: Breather,
): Promise<DroppedGraphs> {
  const documents: DocumentChange[] = [];
  const skipped = new Set<string>();
  const refused = new Map<string, Set<string>>();
  for (const [url, { of }] of stored?.documents ?? []) {
    await breathe();
    const refusal = policy.refusal(policy.graphOf(url), true, of);
    if (!refusal) continue;
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
