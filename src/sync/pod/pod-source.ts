import type { Vocabulary } from '../../component/vocabulary.js';
import type { TaskPool } from '../../lib/pool/task.js';
import type { SyncSource } from '../sync-source.js';
import { PodPoll } from './pod-poll.js';
import { createPodRequest, type PodAccess } from './pod-request.js';
import { podStream } from './pod-stream.js';

export interface PodOptions extends PodAccess {
  /** Of a container, or of a document. */
  readonly url: string;
  readonly vocabulary: Vocabulary;
  /** Parses what the pod answers. */
  readonly pool: TaskPool;
  /** Most documents that are read of this pod. */
  readonly maxDocuments: number;
  /** Is each large document stored before the next one is parsed? That takes longer, and 50 MB less. */
  readonly largeDocumentsInTurn?: boolean | undefined;
}

/** A pod: the components that the documents of a container describe, or those of a single document. */
export function createPodSource(options: PodOptions): SyncSource {
  const request = createPodRequest(options);
  return {
    source: { kind: 'pod', url: options.url },
    trust: options.trust,
    poll: (stored, progress) => {
      const authenticated = options.credentials !== undefined;
      const known = stored?.documents ?? new Map();
      const parsing = { pool: options.pool, lane: options.trust, signal: progress.signal };
      return new PodPoll({ ...options, request, authenticated, known, progress, parsing }).run();
    },
    stream: (document) => podStream(options, { ...options, url: document ?? options.url }),
  };
}
