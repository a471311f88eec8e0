import type { Metadata } from '../../component/metadata.js';
import { type Source, sourceKey } from '../../component/precedence.js';
import { digestElement, payloadHash } from '../../component/statement-digest.js';
import { LtHash } from '../../lib/lt-hash.js';
import type { Breather } from '../../lib/pace.js';
import type { Parsing } from '../../lib/pool/task.js';
import { withoutTrailingSlashes } from '../../lib/trailing-slashes.js';
import type { Coverage } from '../coverage.js';
import { coverageOf } from '../coverage.js';
import { FeedClient, type FeedFailure } from '../peer/feed/feed-client.js';
import type { FeedPage } from '../peer/feed/feed-page.js';
import { readRun } from '../peer/feed/feed-run.js';
import type { PeerProgress, PeerRequest } from '../peer/peer-request.js';

export interface RelayRequest {
  readonly peer: string;
  readonly pod: string;
  /** What the pod is not older than, by its own clock: an older answer is of no use. */
  readonly notBefore: number;
  readonly maxDocuments: number;
  readonly request: PeerRequest;
  readonly progress: PeerProgress;
  readonly parsing: Parsing;
  readonly breathe: Breather;
  /** Told of the digest of what the peer says of the pod, as soon as it is known; nothing when it says nothing. */
  readonly onLine: (digest: string | undefined) => void;
}

/** What a peer has read of a pod. */
export type RelayReading =
  | {
      readonly kind: 'read';
      /** By the pod's clock. */
      readonly observed: number;
      /** What its documents say, by their URLs. */
      readonly documents: ReadonlyMap<string, readonly Metadata[]>;
    }
  /** The peer has read it before that date. */
  | { readonly kind: 'older' }
  /** The peer does not read the pod itself, or not any more; or there is nothing in the pod. */
  | { readonly kind: 'unread' }
  | { readonly kind: 'failed'; readonly message: string };

/**
 * Asks a peer for all that it has read of a pod. It is only taken as a whole, with the digest that the peer tells, and
 * where each document lies in the pod: a pod speaks for nobody else. Rejects when the poll is stopped.
 */
export async function readRelay(relay: RelayRequest): Promise<RelayReading> {
  const { peer, pod, request, progress, parsing, notBefore, onLine } = relay;
  const source: Source = { kind: 'pod', url: pod };
  const client = new FeedClient({ peer: withoutTrailingSlashes(peer), request, progress, parsing });
  const gathered = new Gathered(source, relay);
  let useless: 'older' | 'unread' | undefined;
  const end = await readRun(client, {
    path: '/feed/source',
    parameters: { url: pod, kind: 'pod' },
    take: async (page) => {
      const line = page.lines.find(({ of }) => of === gathered.of);
      onLine(line?.digest);
      if (line?.observed === undefined) useless = 'unread';
      else if (line.observed < notBefore) useless = 'older';
      return useless ? failure('it is of no use') : gathered.take(page);
    },
  });
  if (useless) return { kind: useless };
  if (end.kind === 'failed' && end.status === 404) {
    onLine(undefined);
    return { kind: 'unread' };
  }
  if (end.kind === 'failed') return { kind: 'failed', message: end.message };
  const line = end.kind === 'read' ? end.last.lines.find(({ of }) => of === gathered.of) : undefined;
  if (line?.observed === undefined) return { kind: 'unread' };
  if (line.digest !== gathered.digest) return { kind: 'failed', message: 'it is not what its digest tells' };
  return { kind: 'read', observed: line.observed, documents: gathered.documents };
}

/** What was read so far. */
class Gathered {
  readonly of: string;
  readonly documents = new Map<string, Metadata[]>();
  readonly #covers: Coverage;
  readonly #limits: Pick<RelayRequest, 'maxDocuments' | 'breathe'>;
  readonly #hash = LtHash.empty();

  constructor(pod: Source, limits: Pick<RelayRequest, 'maxDocuments' | 'breathe'>) {
    this.of = sourceKey(pod);
    this.#covers = coverageOf([pod.url]);
    this.#limits = limits;
  }

  get digest(): string {
    return this.#hash.digest();
  }

  async take({ changes }: FeedPage): Promise<FeedFailure | undefined> {
    const { maxDocuments, breathe } = this.#limits;
    for (const { of, graph, uri, metadata } of changes) {
      if (of !== this.of || !metadata) return failure('it tells of something else');
      if (this.#covers(graph) === undefined) return failure(`${graph} does not belong to the pod`);
      const said = this.documents.get(graph);
      if (said) said.push(metadata);
      else this.documents.set(graph, [metadata]);
      this.#hash.add(digestElement({ document: graph, uri, hash: payloadHash(metadata) }));
      if (this.documents.size > maxDocuments) return failure(`it has more than ${maxDocuments} documents`);
      await breathe();
    }
    return undefined;
  }
}

function failure(message: string): FeedFailure {
  return { kind: 'failed', message, malformed: true };
}
