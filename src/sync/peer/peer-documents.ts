import type { Authority } from '../../core/precedence.js';
import { documentName, graphOf, type PeerRules, takeStatement } from '../../core/take.js';
import type { AuthorityOf } from '../../core/upstream-order.js';
import type { Breather } from '../../lib/pace.js';
import type { DocumentRecord } from '../../registry/document-record.js';
import type { DocumentChange } from '../../registry/source-change.js';
import type { StoredSource } from '../../registry/source-record.js';
import { invalidComponents } from '../invalid-components.js';
import type { GraphChanges } from '../refused-graphs.js';
import type { PeerDataset, PeerGraph } from './peer-dataset.js';

/**
 * What a whole listing changes: the graphs that are accepted, and the end of those that are no more. Gives way to
 * other work on the way: there may be thousands of graphs with long names.
 */
export async function accept(
  dataset: PeerDataset,
  stored: StoredSource | undefined,
  { rules, authorityOf }: { readonly rules: PeerRules; readonly authorityOf: AuthorityOf | undefined },
  breathe: Breather,
): Promise<GraphChanges> {
  const documents = new Map<string, DocumentChange>();
  const skipped = new Set<string>();
  const dropped = new Set<string>();
  for (const url of stored?.documents.keys() ?? []) {
    documents.set(url, { url, record: null });
    if (takeStatement({ graph: graphOf(url, rules), isStored: true }, rules) !== 'taken') dropped.add(url);
  }
  for (const [name, graph] of dataset) {
    const url = documentName(name, rules);
    const taken = takeStatement({ graph: name, isStored: stored?.documents.has(url) === true }, rules);
    if (taken === 'taken') documents.set(url, documentOf(url, graph, authorityOf?.(name)));
    else if (taken.address !== undefined) skipped.add(taken.address);
    await breathe();
  }
  return { documents: [...documents.values()], skipped: [...skipped].sort(), dropped };
}

function documentOf(url: string, graph: PeerGraph, authority: Authority | undefined): DocumentChange {
  const { components, omitted } = graph;
  const invalid = invalidComponents(graph.invalid, graph.unnamed);
  const record: DocumentRecord = {
    invalid: invalid.length === 0 ? undefined : invalid,
    authority,
    omitted: omitted || undefined,
  };
  return { url, components: [...components.values()], record };
}
