import type { SyncSource } from '../sync-source.js';
import { type PodOptions, PodPoll } from './pod-poll.js';
import { createPodRequest } from './pod-request.js';
import { podStream } from './pod-stream.js';

/** A pod: the components that the documents of a container describe, or those of a single document. */
export function createPodSource(options: PodOptions): SyncSource {
  const request = createPodRequest(options);
  return {
    source: { kind: 'pod', url: options.url },
    trust: options.trust,
    poll: (stored, progress) => {
      return new PodPoll({ ...options, request, stored: stored?.documents ?? new Map(), progress }).run();
    },
    stream: (document) => podStream(options, { ...options, url: document ?? options.url }),
  };
}
