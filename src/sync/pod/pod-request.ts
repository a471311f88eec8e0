import { parsedAs } from '../../component/rdf/parsed-as.js';
import type { Clock } from '../../lib/clock.js';
import { explain } from '../../lib/faults.js';
import { authorizedFetch, type Credentials } from '../../lib/fetch/authorized-fetch.js';
import { wholeBody } from '../../lib/fetch/body-stream.js';
import {
  type FetchAnswer,
  FetchFailure,
  type GuardedFetch,
  type Trust,
} from '../../lib/fetch/guarded-fetch.js';
import { retryAfter } from '../../lib/fetch/retry-after.js';
import { conditionsOf, isConditional, type Validators, validatorsOf } from '../../lib/fetch/validators.js';
import { throwIfStopped } from '../source-reader.js';
import { linksToContainerType } from './container.js';

/** With Turtle alone, pod servers convert JSON-LD themselves and fetch its remote contexts. */
const ACCEPT = 'text/turtle, application/ld+json;q=0.9';

/** What came of asking a pod for one document. */
export type Reading =
  | Whole
  | Unusable
  | { readonly kind: 'unchanged'; readonly date: number }
  /** Its author has withdrawn it from this reader, or from all. */
  | { readonly kind: 'withdrawn'; readonly status: 401 | 403 | 404 | 410 }
  | Failed;

/** A whole body of a type that can be parsed. */
export interface Whole extends Validators {
  readonly kind: 'whole';
  /** After redirects: what relative IRIs are resolved against. */
  readonly url: string;
  readonly mediaType: string;
  /** In UTF-8, unless the server is wrong. Handed to a worker when it is parsed, and gone then. */
  readonly text: Uint8Array;
  /** Does a `Link` header call it a container? */
  readonly container: boolean;
  /** When it was answered, by the server's clock where it has one, ms since the epoch. */
  readonly date: number;
}

/** An answer that will be no better until the document itself changes, so its validators are worth keeping. */
export interface Unusable extends Validators {
  readonly kind: 'unusable';
  readonly message: string;
  /** Of another media type, and of one that pods hold beside RDF: an image, a script, a text. */
  readonly otherType?: boolean;
  readonly date: number;
}

/** Nothing was learned about the document. */
export interface Failed {
  readonly kind: 'failed';
  readonly message: string;
  readonly status?: number;
  /** The time that `Retry-After` asks to wait for, ms since the epoch. */
  readonly notBefore?: number;
}

/** What reads a pod. `url`: its own, of a container or a document. `credentials`: see `createPodCredentials`. */
export interface PodAccess {
  readonly url: string;
  readonly fetch: GuardedFetch;
  readonly trust: Trust;
  readonly clock: Clock;
  readonly credentials?: Credentials;
}

export type PodRequest = (url: string, validators: Validators, signal: AbortSignal) => Promise<Reading>;

/**
 * Asks a pod for documents: with its credentials, in its host's turn. Rejects when the poll is stopped; when its
 * time is over, that is a failure to get an answer.
 */
export function createPodRequest({ url: pod, fetch, trust, clock, credentials }: PodAccess): PodRequest {
  return async (url, validators, signal) => {
    const headers = { accept: ACCEPT, ...conditionsOf(validators) };
    try {
      signal.throwIfAborted();
      // The pod itself has listed all others.
      const request = { trust, turn: url === pod ? 'named' : 'listed', signal, headers } as const;
      const answer = await authorizedFetch(fetch, url, request, credentials);
      if (answer.status === 200 || answer.status === 203) return await readBody(answer, clock);
      await answer.discard();
      return withoutBody(answer, isConditional(validators), clock);
    } catch (error) {
      throwIfStopped(signal);
      return { kind: 'failed', message: explain(error) };
    }
  };
}

function withoutBody({ status, headers }: FetchAnswer, wasConditional: boolean, clock: Clock): Reading {
  if (status === 401 || status === 403 || status === 404 || status === 410)
    return { kind: 'withdrawn', status };
  const date = dateOf(headers, clock);
  if (status === 304 && wasConditional) return { kind: 'unchanged', date };
  // Community Solid Server answers 501 where it cannot convert a picture into RDF (RFC 9110 has 406 for that).
  if (status === 406 || status === 501) {
    const message = `answers ${status}: it is not to be had as Turtle or JSON-LD`;
    return { kind: 'unusable', message, otherType: true, date };
  }
  const notBefore = retryAfter(headers.get('retry-after'), clock.now());
  return { kind: 'failed', message: `answers ${status}`, status, notBefore };
}

async function readBody(answer: FetchAnswer, clock: Clock): Promise<Reading> {
  const { headers, url } = answer;
  const about = { ...validatorsOf(headers), date: dateOf(headers, clock) };
  const served = (headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const mediaType = parsedAs(served, url);
  if (mediaType === undefined) {
    await answer.discard();
    return { kind: 'unusable', ...wrongType(served), ...about };
  }
  try {
    const text = await wholeBody(answer.body);
    const container = linksToContainerType(headers.get('link'));
    return { kind: 'whole', url, mediaType, text, container, ...about };
  } catch (error) {
    if (!(error instanceof FetchFailure) || error.reason !== 'too-large') throw error;
    return { kind: 'unusable', message: `is too large: ${error.message} (sync.maxBytes)`, ...about };
  }
}

/** HTML is what login pages and error pages are made of, so it is never taken for a document of another kind. */
function wrongType(mediaType: string): Pick<Unusable, 'message' | 'otherType'> {
  const wanted = 'Turtle or JSON-LD is needed';
  if (mediaType === '') return { message: `has no Content-Type: ${wanted}` };
  return { message: `is ${mediaType}: ${wanted}`, otherType: !/html/.test(mediaType) };
}

function dateOf(headers: Headers, clock: Clock): number {
  const date = Date.parse(headers.get('date') ?? '');
  return Number.isNaN(date) ? clock.now() : date;
}
