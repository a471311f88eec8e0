import { graphTaken, takenFrom } from '../../../component/provenance.js';
import type { StoredSource } from '../../../core/source-record.js';
import { documentName, type PeerRules } from '../../../core/take.js';

/** Whose documents they are, and whether they keep their names. */
type NamingRules = Pick<PeerRules, 'peer' | 'isMirror'>;

/**
 * Under which names the documents of a peer are kept. Two of its sources may speak in the same graph: pods that overlap,
 * or the nodes that a mirror reads. The second one is kept under the name that it would have had, had it been taken from
 * that source; a document keeps its name as long as it is stored.
 */
export class DocumentNames {
  readonly #rules: NamingRules;
  /** By source and graph. */
  readonly #names = new Map<string, string>();
  readonly #used = new Set<string>();

  constructor(documents: StoredSource['documents'], rules: NamingRules) {
    this.#rules = rules;
    for (const [url, { of }] of documents) {
      if (of === undefined) continue;
      this.#assign(of, graphIn(url, of, rules), url);
    }
  }

  /** The name of a document that is stored already, or has been given a name. */
  find(of: string, graph: string): string | undefined {
    return this.#names.get(keyOf(of, graph));
  }

  nameOf(of: string, graph: string): string {
    const found = this.find(of, graph);
    if (found !== undefined) return found;
    let candidate = graph;
    while (this.#used.has(documentName(candidate, this.#rules))) candidate = takenFrom(of, candidate);
    return this.#assign(of, graph, documentName(candidate, this.#rules));
  }

  #assign(of: string, graph: string, name: string): string {
    this.#names.set(keyOf(of, graph), name);
    this.#used.add(name);
    return name;
  }
}

/** The name that a document's graph has at the peer: `nameOf` may have put the key of its source before it, once or more. */
function graphIn(url: string, of: string, { isMirror }: NamingRules): string {
  return withoutKey(isMirror ? url : (graphTaken(url) ?? url), takenFrom(of, ''));
}

function withoutKey(graph: string, prefix: string): string {
  const inner = graph.startsWith(prefix) ? graphTaken(graph) : undefined;
  return inner === undefined ? graph : withoutKey(inner, prefix);
}

/** Neither the key of a source nor the name of a graph contains a line break. */
function keyOf(of: string, graph: string): string {
  return `${of}\n${graph}`;
}
