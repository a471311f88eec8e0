import type { Authority } from '../../core/precedence.js';
import type { AuthorityOf } from '../../core/upstream-order.js';
import type { Breather } from '../../lib/pace.js';
import type { DocumentRecord } from '../../registry/document-record.js';
import type { DocumentChange } from '../../registry/source-change.js';
import type { StoredSource } from '../../registry/source-record.js';
import type { GraphChanges, GraphPolicy } from '../graph-policy.js';
import { invalidComponents } from '../invalid-components.js';
import type { PeerDataset, PeerGraph } from './peer-dataset.js';

/**
 * What a whole listing changes: the graphs that are accepted, and the end of those that are no more. Gives way to
 * other work on the way: there may be thousands of graphs with long names.
 */
export async function accept(
  dataset: PeerDataset,
  stored: StoredSource | undefined,
  { policy, authorityOf }: { readonly policy: GraphPolicy; readonly authorityOf: AuthorityOf | undefined },
  breathe: Breather,
): Promise<GraphChanges> {
  const documents = new Map<string, DocumentChange>();
  const skipped = new Set<string>();
  const dropped = new Set<string>();
  for (const url of stored?.documents.keys() ?? []) {
    documents.set(url, { url, record: null });
    if (policy.refusal(policy.graphOf(url), true)) dropped.add(url);
  }
  for (const [name, graph] of dataset) {
    const refusal = policy.refusal(name, stored?.documents.has(policy.nameOf(name)) === true);
    if (refusal?.address !== undefined) skipped.add(refusal.address);
    if (!refusal) {
      const document = documentOf(policy.nameOf(name), graph, authorityOf?.(name));
      documents.set(document.url, document);
    }
    await breathe();
  }
  return { documents: [...documents.values()], skipped: [...skipped].sort(), dropped };
}

function documentOf(url: string, graph: PeerGraph, authority: Authority | undefined): DocumentChange {
  const { components, omitted } = graph;
  const invalid = invalidComponents(graph.invalid, graph.unnamed);
  const record: DocumentRecord = {
    ...(invalid.length === 0 ? {} : { invalid }),
    ...(authority ? { authority } : {}),
    ...(omitted === 0 ? {} : { omitted }),
  };
  return { url, components: [...components.values()], record };
}
