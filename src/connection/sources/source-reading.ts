import type { Quad } from '@rdfjs/types';
import { LRUCache } from 'lru-cache';
import { ACCEPT_RDF, PARSED_MEDIA_TYPES, parsedAs } from '../../component/rdf/parsed-as.js';
import { triplesOf } from '../../component/reading/document-tasks.js';
import type { Vocabulary } from '../../component/vocabulary.js';
import { parsedUrl } from '../../lib/can-parse-url.js';
import type { Clock } from '../../lib/clock.js';
import { explain, MalformedInput, TaskTimeout } from '../../lib/faults.js';
import {
  type FetchAnswer,
  FetchFailure,
  type FetchRequest,
  type GuardedFetch,
} from '../../lib/fetch/guarded-fetch.js';
import { conditionsOf, isConditional, type Validators, validatorsOf } from '../../lib/fetch/validators.js';
import { mediaTypeOf } from '../../lib/http/headers/media-type.js';
import { Problem } from '../../lib/http/problem.js';
import type { TaskPool } from '../../lib/pool/task.js';
import { createRateLimit, type RateLimit } from '../../lib/rate-limit.js';
import type { Connection } from '../records/connection.js';
import type { Invite } from '../records/invite.js';

const ACCEPT = `${ACCEPT_RDF}, application/n-triples;q=0.8`;

/** A document with more triples fails: every answer with its triples would be slow. */
const MOST_TRIPLES = 20_000;

/** The result of reading a document. The message of one that could not be read is for its holder. */
export type Reading =
  | ({ readonly kind: 'whole'; readonly quads: readonly Quad[] } & Validators)
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'failed'; readonly message: string };

/** `known`: of what is stored of the document. `connection`: whose access token is sent, to the origin of its source. */
interface SourceRequest extends Pick<FetchRequest, 'timeoutMs'> {
  readonly url: string;
  readonly known?: Validators | undefined;
  readonly connection?: Connection;
}

export type ReadSource = (request: SourceRequest) => Promise<Reading>;

interface SourceReaderParts {
  readonly fetch: GuardedFetch;
  readonly vocabulary: Vocabulary;
  readonly pool: TaskPool;
  /** Ends all readings, which then throw its reason. */
  readonly signal: AbortSignal;
}

/** Reads documents that holders name. Their URLs are not trusted: the fetch refuses private addresses. */
export function createSourceReader({ fetch, vocabulary: { namespace }, pool, signal }: SourceReaderParts) {
  const readingOf = async (answer: FetchAnswer, known: Validators): Promise<Reading> => {
    const { status, headers, url } = answer;
    const served = mediaTypeOf(headers);
    const mediaType = parsedAs(served, url);
    if (status === 200 && mediaType !== undefined) {
      const document = { text: await answer.bytes(), mediaType, baseIri: url, namespace };
      const quads = await triplesOf(document, MOST_TRIPLES, { pool, lane: 'refresh', signal });
      // Pod servers leave the ETag of a container as it is when a member changes, although its listing describes the members.
      return { kind: 'whole', quads, ...(url.endsWith('/') ? {} : validatorsOf(headers)) };
    }
    await answer.discard();
    if (status === 304 && isConditional(known)) return { kind: 'unchanged' };
    if (status !== 200) return failed(status, `it answers ${status}`);
    const types = PARSED_MEDIA_TYPES.join(', ');
    return failed('unfit', `it answers ${served || 'no content type'}; triples come as ${types}`);
  };
  const read: ReadSource = async ({ url, known = {}, connection, timeoutMs }) => {
    const authorization = connection && authorizationFor(connection, url);
    try {
      const answer = await fetch(url, {
        // Who refreshes them bounds how many of a host's documents are read at once.
        ...{ trust: 'learned', isCounted: false, signal, timeoutMs },
        headers: { accept: ACCEPT, ...conditionsOf(known) },
        credentials: authorization && { authorize: async () => authorization },
      });
      return await readingOf(answer, known);
    } catch (error) {
      signal.throwIfAborted();
      return failed(troubleOf(error), explain(error));
    }
  };
  return read;
}

/** What is wrong neither with the answer of the source nor with the document is of this node. */
function troubleOf(error: unknown): string {
  if (error instanceof FetchFailure) return error.reason;
  return error instanceof MalformedInput && !(error instanceof TaskTimeout) ? 'unfit' : 'busy';
}

/** None for a document whose origin is not that of the connection's source. */
function authorizationFor({ configuration: { accessToken }, source }: Connection, url: string) {
  const origin = parsedUrl(source)?.origin;
  const isOwn = origin !== undefined && origin !== 'null' && parsedUrl(url)?.origin === origin;
  return isOwn && accessToken !== undefined ? { authorization: `Bearer ${accessToken}` } : undefined;
}

const FORBIDDEN = 'This place does not let this node read it. Allow everyone to read it, and try again';
const MISSING = 'There is nothing at this address. Is it complete?';
/** What the holder of a source can do about it, by the status of the answer or by what went wrong. */
const TROUBLE: Readonly<Record<string, string>> = {
  401: FORBIDDEN,
  403: FORBIDDEN,
  404: MISSING,
  410: MISSING,
  refused:
    'This node does not read such addresses: it has to be a public one that begins with https:// or http://',
  'too-large': 'The document at this address is too large for this node',
  unfit:
    'This node cannot read what is at this address. It has to be a document in Turtle or JSON-LD, such as a ' +
    'profile in a pod; a web page is not enough',
  busy: 'This node has too much to read just now, or has met a fault of its own. Try again in a moment',
};
const ERROR = 'This place answers with an error. Try again later';
const UNREACHABLE = 'This address could not be reached. Is it right, and is the server running?';

/** `met`: what the node met, in technical words. */
function failed(trouble: string | number, met: string): Reading {
  const words = TROUBLE[trouble] ?? (typeof trouble === 'number' ? ERROR : UNREACHABLE);
  return { kind: 'failed', message: `${words} (${met})` };
}

/** Reads the source that somebody names who has the link of the invite. @throws Problem 429 */
export type CheckSource = (invite: Invite, source: string) => Promise<Reading>;

/** Longest time that a person waits for the answer of a source, in ms. */
const LONGEST_MS = 10_000;
/**
 * Whoever has a link can have this node ask other servers, and learns from the page what they answer. So each invite
 * allows only a few tries, and all invites together only so many.
 */
const EACH = { concurrent: 4, perMinute: 10 };
const ALL = { concurrent: 8, perMinute: 120 };
/** Invites of which the tries are counted: those that were tried last. */
const REMEMBERED = 1_000;

export function createSourceCheck(read: ReadSource, clock: Clock): CheckSource {
  const all = createRateLimit(clock, ALL);
  const memoMethod = () => createRateLimit(clock, EACH);
  const limits = new LRUCache<string, RateLimit>({ max: REMEMBERED, memoMethod });
  const refuse = (retryMs: number): never => {
    const headers = { 'retry-after': String(Math.ceil(retryMs / 1000)) };
    throw new Problem(429, 'Too many sources are being tried; try again in a minute', { headers });
  };
  return ({ uri, holder }, url) => {
    const work = () => all.run(() => read({ url, timeoutMs: LONGEST_MS }), refuse);
    return limits.memo(`${holder} ${uri}`).run(work, refuse);
  };
}
