import type { InvalidDescription } from '../../component/codec.js';
import { graphKind, graphTaken, takenFrom } from '../../component/provenance.js';
import { breather } from '../../lib/slices.js';
import type { DocumentChange } from '../../registry/source-change.js';
import type { DocumentRecord, InvalidComponent, StoredSource } from '../../registry/source-record.js';
import type { Coverage } from '../discovery/coverage.js';
import { graphRanks } from './graph-rank.js';
import type { PeerDataset, PeerGraph } from './peer-dataset.js';

/** Decides which of a peer's graphs are taken, and under which names they are kept. */
export interface Taking {
  /** Is the order kept in which the peer believes its graphs? */
  readonly ranked: boolean;
  /** The document that a graph of the peer is kept as. */
  nameOf(graph: string): string;
  /** The graph of the peer that a document was. */
  graphOf(document: string): string;
  /** Why a graph is not taken: the pod that speaks for it itself, or that the peer only passes it on. */
  refusal(graph: string): { readonly pod?: string } | undefined;
}

/**
 * Of a peer, a node takes what the peer says itself, and the documents of pods that the peer reads and this
 * node does not. What this node reads itself it takes from nobody else; what the peer took from others, from
 * nobody at all: so nothing can circle, and what its author deletes cannot come back (design, section 6).
 */
export function takingFrom(peer: string, coverage: Coverage): Taking {
  return {
    ranked: false,
    nameOf: (graph) => takenFrom(peer, graph),
    graphOf: (document) => graphTaken(document) ?? document,
    refusal(graph) {
      const kind = graphKind(graph);
      if (kind === 'taken') return {};
      const pod = kind === 'document' ? coverage(graph) : undefined;
      return pod === undefined ? undefined : { pod };
    },
  };
}

/** A mirror takes everything, under the names that it has at its upstream. */
export const EVERYTHING: Taking = {
  ranked: true,
  nameOf: (graph) => graph,
  graphOf: (document) => document,
  refusal: () => undefined,
};

export interface Taken {
  readonly documents: readonly DocumentChange[];
  /** Pods whose documents were left to this node's own reading. */
  readonly withheld: readonly string[];
}

/**
 * What a whole listing changes: the graphs that are taken, and the end of those that are no more. Gives way to other
 * work on the way: there may be thousands of graphs with long names.
 */
export async function taken(
  dataset: PeerDataset,
  stored: StoredSource | undefined,
  taking: Taking,
): Promise<Taken> {
  const documents = new Map<string, DocumentChange>();
  const withheld = new Set<string>();
  const breathe = breather();
  const rankOf = taking.ranked ? graphRanks(dataset) : () => 0;
  for (const url of stored?.documents.keys() ?? []) documents.set(url, { url, record: null });
  for (const [name, graph] of dataset) {
    const refusal = taking.refusal(name);
    if (refusal?.pod !== undefined) withheld.add(refusal.pod);
    if (!refusal) {
      const document = documentOf(taking.nameOf(name), graph, rankOf(name));
      documents.set(document.url, document);
    }
    await breathe();
  }
  return { documents: [...documents.values()], withheld: [...withheld].sort() };
}

/** The end of documents that were taken before this node read their pod itself. */
export function overtaken(stored: StoredSource | undefined, taking: Taking): Taken {
  const documents: DocumentChange[] = [];
  const withheld = new Set<string>();
  for (const url of stored?.documents.keys() ?? []) {
    const refusal = taking.refusal(taking.graphOf(url));
    if (!refusal) continue;
    documents.push({ url, record: null });
    if (refusal.pod !== undefined) withheld.add(refusal.pod);
  }
  return { documents, withheld: [...withheld].sort() };
}

function documentOf(url: string, { components, invalid }: PeerGraph, rank: number): DocumentChange {
  const record: DocumentRecord = {
    ...(invalid.length === 0 ? {} : { invalid: invalid.map(named) }),
    ...(rank === 0 ? {} : { rank }),
  };
  return { url, components: [...components.values()], record };
}

function named({ subject, faults }: InvalidDescription): InvalidComponent {
  return { subject: subject.slice(0, 200), reasons: faults.map(({ detail }) => detail) };
}
