import type { InvalidDescription } from '../../component/codec.js';
import type {
  DocumentChange,
  DocumentRecord,
  InvalidComponent,
  StoredSource,
} from '../../store/source-record.js';
import type { Relayed, RelayPolicy } from '../relay-policy.js';
import { graphRanks } from './graph-rank.js';
import type { PeerDataset, PeerGraph } from './peer-dataset.js';

/** What a whole listing changes: the graphs that are accepted, and the end of those that are no more. */
export function accept(dataset: PeerDataset, stored: StoredSource | undefined, policy: RelayPolicy): Relayed {
  const documents = new Map<string, DocumentChange>();
  const skipped = new Set<string>();
  const rankOf = policy.ranked ? graphRanks(dataset) : () => 0;
  for (const url of stored?.documents.keys() ?? []) documents.set(url, { url, record: null });
  for (const [name, graph] of dataset) {
    const refusal = policy.refusal(name);
    if (refusal?.pod !== undefined) skipped.add(refusal.pod);
    if (!refusal) documents.set(policy.nameOf(name), documentOf(policy.nameOf(name), graph, rankOf(name)));
  }
  return { documents: [...documents.values()], skipped: [...skipped].sort() };
}

function documentOf(url: string, { components, invalid, omitted }: PeerGraph, rank: number): DocumentChange {
  const record: DocumentRecord = {
    ...(invalid.length === 0 ? {} : { invalid: invalid.map(named) }),
    ...(rank === 0 ? {} : { rank }),
    ...(omitted === 0 ? {} : { omitted }),
  };
  return { url, components: [...components.values()], record };
}

function named({ subject, faults }: InvalidDescription): InvalidComponent {
  return { subject: subject.slice(0, 200), reasons: faults.map(({ detail }) => detail) };
}
