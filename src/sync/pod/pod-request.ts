import { parsedAs } from '../../component/rdf/parsed-as.js';
import type { ReadFailure } from '../../core/reading.js';
import type { Clock } from '../../lib/clock.js';
import { wholeBody } from '../../lib/fetch/body-stream.js';
import { type FetchAnswer, FetchFailure } from '../../lib/fetch/guarded-fetch.js';
import { isConditional, type Validators, validatorsOf } from '../../lib/fetch/validators.js';
import { isOtherFormat } from '../../lib/refused-document.js';
import type { Failed } from '../failures.js';
import { type Access, ask } from '../request.js';
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

export type PodRequest = (url: string, validators: Validators, signal: AbortSignal) => Promise<Reading>;

/** Asks a pod for documents; see `ask`. `url`: its own, of a container or a document. */
export function createPodRequest(access: Access & { readonly url: string }): PodRequest {
  return (url, before, signal) => {
    // The pod itself has listed all others.
    const question = {
      url,
      accept: ACCEPT,
      before,
      signal,
      turn: url === access.url ? 'named' : 'listed',
    } as const;
    return ask(access, question, async (answer): Promise<Reading | undefined> => {
      const { status, headers } = answer;
      const date = dateOf(headers, access.clock);
      if (status === 200 || status === 203) return readBody(answer, date);
      if (status === 401 || status === 403 || status === 404 || status === 410)
        return { kind: 'withdrawn', status };
      if (status === 304 && isConditional(before)) return { kind: 'unchanged', date };
      if (!isOtherFormat(status)) return undefined;
      const message = `answers ${status}: it is not to be had as Turtle or JSON-LD`;
      return { kind: 'unusable', message, otherType: true, date };
    });
  };
}

async function readBody(answer: FetchAnswer, date: number): Promise<Reading> {
  const { headers, url } = answer;
  const about = { ...validatorsOf(headers), date };
  const served = (headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const mediaType = parsedAs(served, url);
  if (mediaType === undefined) return { kind: 'unusable', ...wrongType(served), ...about };
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

/** Readings of a pod's own URL that say nothing about what it holds. */
type RootFailure = Exclude<Reading, { kind: 'whole' | 'unchanged' }>;

const GONE = ', nothing is there: check its URL, or remove the pod to drop what it brought';
const WITHDRAWN = {
  401: `, it is private: add "auth" to this pod's entry, or ask its owner to make it public`,
  403: ': its owner gives this node no access; ask for it, or remove the pod',
  404: GONE,
  410: GONE,
} as const;
const CREDENTIALS_REFUSED = `: it does not accept the credentials; check "auth" in this pod's entry`;

/** What happened and what to do, for the operator. What the pod said before is served meanwhile. */
export function podFailure(reading: RootFailure, hasCredentials: boolean): ReadFailure {
  if (reading.kind === 'withdrawn') {
    const { status } = reading;
    const advice = status === 401 && hasCredentials ? CREDENTIALS_REFUSED : WITHDRAWN[status];
    return { message: `The pod answers ${status}${advice}`, permanent: true };
  }
  if (reading.kind === 'unusable') {
    const question = 'Is it the URL of a container or a document?';
    return { message: `The pod's URL ${reading.message}. ${question}`, permanent: true };
  }
  const { message, status = 0, notBefore } = reading;
  if (status === 0) return { message };
  const advice = status >= 500 ? ': its server has a problem; it is tried again' : '';
  return { message: `The pod ${message}${advice}`, notBefore };
}
