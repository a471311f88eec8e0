import { parsedAs } from '../../component/rdf/parsed-as.js';
import type { RdfDocument } from '../../component/rdf/rdf-parse.js';
import type { ReadFailure } from '../../core/reading.js';
import type { Clock } from '../../lib/clock.js';
import { explain, MalformedInput } from '../../lib/faults.js';
import { wholeBody } from '../../lib/fetch/body-stream.js';
import { type FetchAnswer, FetchFailure } from '../../lib/fetch/guarded-fetch.js';
import { isConditional, type Validators, validatorsOf } from '../../lib/fetch/validators.js';
import type { LogTo } from '../../lib/log.js';
import { isOtherFormat } from '../../lib/refused-document.js';
import { type Failed, isParseFailure, stumbled } from '../failures.js';
import { ask, type ReaderParts } from '../request.js';
import { throwIfStopped } from '../source-reader.js';
import { linksToContainerType } from './container.js';
import { type PodContent, podContent } from './pod-content.js';

/** With Turtle alone, pod servers convert JSON-LD themselves and fetch its remote contexts. */
const ACCEPT = 'text/turtle, application/ld+json;q=0.9';

export interface PodOptions extends ReaderParts {
  readonly log: LogTo<'error'>;
}

/** What came of asking a pod for one document. */
export type Reading =
  | Content
  | Unusable
  | { readonly kind: 'unchanged'; readonly date: number }
  /** Its author has withdrawn it from this reader, or from all. */
  | { readonly kind: 'withdrawn'; readonly status: 401 | 403 | 404 | 410 }
  | Failed;

/** What of an answer is worth keeping. `date`: when it was answered, by the server's clock where it has one, ms since the epoch. */
interface Answered extends Validators {
  readonly date: number;
}

/** What a whole body says. */
export interface Content extends Answered, PodContent {
  readonly kind: 'content';
  /** After redirects: what relative IRIs are resolved against. */
  readonly url: string;
}

/** An answer that will be no better until the document itself changes, so its validators are worth keeping. */
export interface Unusable extends Answered {
  readonly kind: 'unusable';
  readonly message: string;
  /** Of another media type, and of one that pods hold beside RDF: an image, a script, a text. */
  readonly otherType?: boolean;
}

/** A body that is to be parsed. */
interface Body extends Answered, Omit<RdfDocument, 'namespace' | 'text'> {
  readonly kind: 'body';
  /** In UTF-8, unless the server is wrong. Handed to a worker when it is parsed, and gone then. */
  readonly text: Uint8Array;
  /** Does a `Link` header call it a container? */
  readonly container: boolean;
}

interface PodQuestion {
  readonly url: string;
  readonly before: Validators;
  /** Components that are wanted at most: what is beyond need not take memory before it is left out. */
  readonly most: number;
  /** Members that are read of a container; the body is a document when absent. */
  readonly maxMembers?: number | undefined;
}

export type PodRequest = (question: PodQuestion, signal: AbortSignal) => Promise<Reading>;

/** Asks a pod for documents (see `ask`), and has them parsed. */
export function createPodRequest(options: PodOptions): PodRequest {
  return async ({ url, before, ...wanted }, signal) => {
    // The pod itself has listed all others.
    const turn = url === options.url ? 'named' : 'listed';
    const question = { url, accept: ACCEPT, before, signal, turn } as const;
    const read = await ask(options, question, (answer) => readAnswer(answer, before, options.clock));
    return read.kind === 'body' ? parse(read, wanted, options, signal) : read;
  };
}

async function readAnswer(
  answer: FetchAnswer,
  before: Validators,
  clock: Clock,
): Promise<Exclude<Reading, Content> | Body | undefined> {
  const { status, headers } = answer;
  const said = Date.parse(headers.get('date') ?? '');
  const date = Number.isNaN(said) ? clock.now() : said;
  if (status === 200 || status === 203) return readBody(answer, date);
  if (status === 401 || status === 403 || status === 404 || status === 410)
    return { kind: 'withdrawn', status };
  if (status === 304 && isConditional(before)) return { kind: 'unchanged', date };
  if (!isOtherFormat(status)) return undefined;
  const message = `answers ${status}: it is not to be had as Turtle or JSON-LD`;
  return { kind: 'unusable', message, otherType: true, date };
}

async function readBody(answer: FetchAnswer, date: number): Promise<Unusable | Body> {
  const { headers, url } = answer;
  const about = { ...validatorsOf(headers), date };
  const served = (headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const mediaType = parsedAs(served, url);
  if (mediaType === undefined) return { kind: 'unusable', ...wrongType(served), ...about };
  try {
    const text = await wholeBody(answer.body);
    const container = linksToContainerType(headers.get('link'));
    return { kind: 'body', baseIri: url, mediaType, text, container, ...about };
  } catch (error) {
    if (!(error instanceof FetchFailure) || error.reason !== 'too-large') throw error;
    return { kind: 'unusable', message: `is too large: ${error.message} (sync.maxBytes)`, ...about };
  }
}

/** What cannot be parsed now, although nothing is wrong with it, is a failure. */
async function parse(
  { kind: _, etag, lastModified, date, ...body }: Body,
  wanted: Pick<PodQuestion, 'most' | 'maxMembers'>,
  { vocabulary: { namespace }, pool, trust, log }: PodOptions,
  signal: AbortSignal,
): Promise<Content | Unusable | Failed> {
  const about = { etag, lastModified, date };
  try {
    const content = await podContent({ ...body, namespace, ...wanted }, { pool, lane: trust, signal });
    return { kind: 'content', url: body.baseIri, ...content, ...about };
  } catch (error) {
    throwIfStopped(signal);
    const message = `cannot be read: ${explain(error)}`;
    if (error instanceof MalformedInput) return { kind: 'unusable', message, ...about };
    if (isParseFailure(error)) return { kind: 'failed', message, status: 200 };
    log.error({ document: body.baseIri, err: error }, 'this node stumbled over a document');
    return { kind: 'failed', message: stumbled(error), status: 200 };
  }
}

/** HTML is what login pages and error pages are made of, so it is never taken for a document of another kind. */
function wrongType(mediaType: string): Pick<Unusable, 'message' | 'otherType'> {
  const wanted = 'Turtle or JSON-LD is needed';
  if (mediaType === '') return { message: `has no Content-Type: ${wanted}` };
  return { message: `is ${mediaType}: ${wanted}`, otherType: !/html/.test(mediaType) };
}

/** Readings of a pod's own URL that say nothing about what it holds. */
type RootFailure = Exclude<Reading, { kind: 'content' | 'unchanged' }>;

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
  // There was no answer, or nothing is wrong with it.
  if (status <= 200) return { message };
  const advice = status >= 500 ? ': its server has a problem; it is tried again' : '';
  return { message: `The pod ${message}${advice}`, notBefore };
}
