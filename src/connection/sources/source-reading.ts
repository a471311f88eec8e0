import type { Quad } from '@rdfjs/types';
import { PARSED_MEDIA_TYPES } from '../../component/rdf/rdf-parse.js';
import { triplesOf } from '../../component/reading/document-tasks.js';
import type { Vocabulary } from '../../component/vocabulary.js';
import { explain, MalformedInput } from '../../lib/faults.js';
import { authorizedFetch, type Credentials } from '../../lib/fetch/authorized-fetch.js';
import { type FetchAnswer, FetchFailure, type GuardedFetch } from '../../lib/fetch/guarded-fetch.js';
import { conditionsOf, isConditional, type Validators, validatorsOf } from '../../lib/fetch/validators.js';
import { parseMediaType } from '../../lib/http/headers/media-type.js';
import { PoolBusy, type TaskPool } from '../../lib/pool/task.js';

/** JSON-LD is accepted too: asked for Turtle alone, pod servers convert it and fetch its remote contexts. */
const ACCEPT = 'text/turtle, application/ld+json;q=0.9, application/n-triples;q=0.8';

/** A document with more triples fails: every answer with its triples would be slow. */
const MOST_TRIPLES = 20_000;

/** What a document says. */
export type WholeReading = { readonly kind: 'whole'; readonly quads: readonly Quad[] } & Validators;

/** The result of reading a document. */
export type Reading =
  | WholeReading
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'failed'; readonly reason: FailureReason; readonly message: string };

/**
 * What kept a document from being read. `refused`: this node does not read such addresses. `forbidden`: the server wants
 * credentials, or others. `no-data`: it is no RDF, or none that is understood. `malformed`: it is RDF with mistakes.
 */
export type FailureReason =
  | 'refused'
  | 'unreachable'
  | 'forbidden'
  | 'missing'
  | 'status'
  | 'no-data'
  | 'malformed'
  | 'too-large'
  | 'busy';

export interface SourceRequest {
  readonly url: string;
  readonly known: Validators;
  readonly credentials: Credentials | undefined;
  readonly signal: AbortSignal;
  /** How long the request may take, in ms; that of the fetch when absent. */
  readonly timeoutMs?: number;
}

export interface SourceReaderParts {
  readonly fetch: GuardedFetch;
  readonly vocabulary: Vocabulary;
  readonly pool: TaskPool;
}

/** Reads documents that holders name. Their URLs are not trusted: the fetch refuses private addresses. */
export function createSourceReader(parts: SourceReaderParts): (request: SourceRequest) => Promise<Reading> {
  return async (request) => {
    try {
      return await readingOf(await ask(parts.fetch, request), request, parts);
    } catch (error) {
      request.signal.throwIfAborted();
      return failed(reasonOf(error), explain(error));
    }
  };
}

function ask(
  fetch: GuardedFetch,
  { url, known, credentials, signal, timeoutMs }: SourceRequest,
): Promise<FetchAnswer> {
  const headers = { accept: ACCEPT, ...conditionsOf(known) };
  // How many of a host's documents are read at once is bounded by who refreshes them.
  const request = { trust: 'learned', turn: 'none', signal, headers, timeoutMs } as const;
  return authorizedFetch(fetch, url, request, credentials);
}

async function readingOf(
  answer: FetchAnswer,
  { url, known, signal }: SourceRequest,
  { vocabulary, pool }: SourceReaderParts,
): Promise<Reading> {
  const { status, headers } = answer;
  const mediaType = parseMediaType(headers.get('content-type') ?? '')?.type ?? 'no content type';
  const readable = status === 200 && PARSED_MEDIA_TYPES.includes(mediaType);
  if (!readable) await answer.discard();
  if (status === 304 && isConditional(known)) return { kind: 'unchanged' };
  if (status !== 200) return failed(REFUSALS[status] ?? 'status', `it answers ${status}`);
  if (!readable)
    return failed('no-data', `it answers ${mediaType}; triples come as ${PARSED_MEDIA_TYPES.join(', ')}`);
  const { namespace } = vocabulary;
  const document = { text: await answer.bytes(), mediaType, baseIri: answer.url, namespace };
  const quads = await triplesOf(document, MOST_TRIPLES, { pool, lane: 'refresh', signal });
  return { kind: 'whole', quads, ...validatorsAt(url, headers) };
}

/**
 * None for a container, so that it is read whole each time: pod servers leave its ETag as it is when a member changes,
 * although the listing describes the members.
 */
function validatorsAt(url: string, headers: Headers): Validators {
  return url.endsWith('/') ? {} : validatorsOf(headers);
}

const REFUSALS: Readonly<Record<number, FailureReason>> = {
  401: 'forbidden',
  403: 'forbidden',
  404: 'missing',
  410: 'missing',
};

function reasonOf(error: unknown): FailureReason {
  if (error instanceof MalformedInput) return 'malformed';
  if (error instanceof PoolBusy) return 'busy';
  if (!(error instanceof FetchFailure)) return 'unreachable';
  return error.reason === 'refused' || error.reason === 'too-large' ? error.reason : 'unreachable';
}

function failed(reason: FailureReason, message: string): Reading {
  return { kind: 'failed', reason, message };
}
