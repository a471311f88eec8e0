import type { Quad } from '@rdfjs/types';
import { PARSED_MEDIA_TYPES } from '../../component/rdf/rdf-parse.js';
import { triplesOf } from '../../component/reading/document-tasks.js';
import type { Vocabulary } from '../../component/vocabulary.js';
import { parsedUrl } from '../../lib/can-parse-url.js';
import { explain } from '../../lib/faults.js';
import { type FetchAnswer, FetchFailure, type GuardedFetch } from '../../lib/fetch/guarded-fetch.js';
import { conditionsOf, isConditional, type Validators, validatorsOf } from '../../lib/fetch/validators.js';
import { parseMediaType } from '../../lib/http/headers/media-type.js';
import type { TaskPool } from '../../lib/pool/task.js';
import type { Connection } from '../records/connection.js';

/** JSON-LD is accepted too: asked for Turtle alone, pod servers convert it and fetch its remote contexts. */
const ACCEPT = 'text/turtle, application/ld+json;q=0.9, application/n-triples;q=0.8';

/** A document with more triples fails: every answer with its triples would be slow. */
const MOST_TRIPLES = 20_000;

/** The result of reading a document. The message of one that could not be read is for its holder. */
export type Reading =
  | ({ readonly kind: 'whole'; readonly quads: readonly Quad[] } & Validators)
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'failed'; readonly message: string };

export interface SourceRequest {
  readonly url: string;
  /** Of what is stored of the document; none when absent. */
  readonly known?: Validators | undefined;
  /** Of which the access token is sent, to the origin of its source; none when absent. */
  readonly connection?: Connection;
  readonly signal: AbortSignal;
  /** How long the request may take, in ms; that of the fetch when absent. */
  readonly timeoutMs?: number;
}

export type ReadSource = (request: SourceRequest) => Promise<Reading>;

interface SourceReaderParts {
  readonly fetch: GuardedFetch;
  readonly vocabulary: Vocabulary;
  readonly pool: TaskPool;
}

/** Reads documents that holders name. Their URLs are not trusted: the fetch refuses private addresses. */
export function createSourceReader(parts: SourceReaderParts): ReadSource {
  return async (request) => {
    const { url, known = {}, connection, signal, timeoutMs } = request;
    const accessToken = connection && accessTokenFor(connection, url);
    try {
      const answer = await parts.fetch(url, {
        ...{ trust: 'learned', signal, timeoutMs },
        // How many of a host's documents are read at once is bounded by who refreshes them.
        turn: 'none',
        headers: { accept: ACCEPT, ...conditionsOf(known) },
        ...(accessToken && { authorize: async () => ({ authorization: `Bearer ${accessToken}` }) }),
      });
      return await readingOf(answer, request, parts);
    } catch (error) {
      signal.throwIfAborted();
      const isRefused = error instanceof FetchFailure && error.reason === 'refused';
      const advice = isRefused ? 'This node reads public addresses alone, with https:// or http://: ' : '';
      return failed(advice + explain(error));
    }
  };
}

/** None for a document whose origin is not that of the connection's source. */
function accessTokenFor({ configuration, source }: Connection, url: string): string | undefined {
  const origin = parsedUrl(source)?.origin;
  const isOwn = origin !== undefined && origin !== 'null' && parsedUrl(url)?.origin === origin;
  return isOwn ? configuration.accessToken : undefined;
}

async function readingOf(
  answer: FetchAnswer,
  { url, known = {}, signal }: SourceRequest,
  { vocabulary: { namespace }, pool }: SourceReaderParts,
): Promise<Reading> {
  const { status, headers } = answer;
  const mediaType = parseMediaType(headers.get('content-type') ?? '')?.type ?? 'no content type';
  if (status === 200 && PARSED_MEDIA_TYPES.includes(mediaType)) {
    const document = { text: await answer.bytes(), mediaType, baseIri: answer.url, namespace };
    const quads = await triplesOf(document, MOST_TRIPLES, { pool, lane: 'refresh', signal });
    // Pod servers leave the ETag of a container as it is when a member changes, although the listing describes the members.
    return { kind: 'whole', quads, ...(url.endsWith('/') ? {} : validatorsOf(headers)) };
  }
  await answer.discard();
  if (status === 304 && isConditional(known)) return { kind: 'unchanged' };
  const triples = PARSED_MEDIA_TYPES.join(', ');
  return failed(
    status === 200 ? `it answers ${mediaType}; triples come as ${triples}` : `This place answers ${status}`,
  );
}

function failed(message: string): Reading {
  return { kind: 'failed', message };
}
