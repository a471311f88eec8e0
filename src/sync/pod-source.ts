import type { Vocabulary } from '../component/vocabulary.js';
import type { DocumentChange, StoredSource } from '../store/source-record.js';
import { type Known, withoutMarks } from './document-record.js';
import { PodPoll } from './pod-poll.js';
import { createPodRequest, type PodAccess } from './pod-request.js';
import type { SyncSource } from './sync-source.js';

export interface PodOptions extends PodAccess {
  /** Of a container, or of a document. */
  readonly url: string;
  readonly vocabulary: Vocabulary;
  /** Most documents that are read of this pod. */
  readonly maxDocuments: number;
}

/** Moves when documents are read by other rules, so that unchanged ones are read anew. */
const READING_RULES = 1;

/** A pod: the components that the documents of a container describe, or those of a single document. */
export function createPodSource(options: PodOptions): SyncSource {
  const request = createPodRequest(options);
  const reading = `${READING_RULES} ${options.vocabulary.namespace}`;
  return {
    source: { kind: 'pod', url: options.url },
    async poll(stored, signal) {
      const known = knownDocuments(stored, reading);
      const authenticated = options.credentials !== undefined;
      const poll = new PodPoll({ ...options, request, authenticated, known, signal });
      const { documents, ...result } = await poll.run();
      const unread = known === stored?.documents ? [] : withoutThose(known, documents);
      return { ...result, documents: [...documents, ...unread], memo: { reading } };
    },
  };
}

/** What was read by other rules, or for another vocabulary, is known without its marks: it is read in full. */
function knownDocuments(stored: StoredSource | undefined, reading: string): ReadonlyMap<string, Known> {
  const documents = stored?.documents ?? new Map<string, Known>();
  if (stored?.record.memo?.reading === reading) return documents;
  return new Map([...documents].map(([url, known]) => [url, withoutMarks(known)]));
}

/** Documents that this poll did not come to lose their marks for good, so that a later one reads them in full. */
function withoutThose(known: ReadonlyMap<string, Known>, changes: readonly DocumentChange[]): DocumentChange[] {
  const changed = new Set(changes.map(({ url }) => url));
  return [...known]
    .filter(([url]) => !changed.has(url))
    .map(([url, { components: _, ...record }]) => ({ url, record }));
}
