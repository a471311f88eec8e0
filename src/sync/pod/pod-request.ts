import { parsedAs } from '../../component/rdf/parsed-as.js';
import type { ReadFailure } from '../../core/reading.js';
import { explain, MalformedInput } from '../../lib/faults.js';
import { wholeBody } from '../../lib/fetch/body-stream.js';
import { type FetchAnswer, FetchFailure } from '../../lib/fetch/guarded-fetch.js';
import { isConditional, type Validators, validatorsOf } from '../../lib/fetch/validators.js';
import { mediaTypeOf } from '../../lib/http/headers/media-type.js';
import type { LogTo } from '../../lib/log.js';
import { isOtherFormat } from '../../lib/refused-document.js';
import { type Failed, isParseFailure, stumbled } from '../failures.js';
import { ask, type ReaderParts } from '../request.js';
import { linksToContainerType } from './container.js';
import { type PodContent, podContent } from './pod-content.js';

/** With Turtle alone, pod servers convert JSON-LD themselves and fetch its remote contexts. */
const ACCEPT = 'text/turtle, application/ld+json;q=0.9';

export interface PodOptions extends ReaderParts {
  /** Documents that are read of the pod at most. */
  readonly maxDocuments: number;
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

/** `date`: when it was answered, by the server's clock where it has one, ms since the epoch. */
interface Answered extends Validators {
  readonly date: number;
}

type Unanswered<R extends Answered> = Omit<R, keyof Answered>;

/** What a whole body says. */
export interface Content extends Answered, PodContent {
  readonly kind: 'content';
  /** After redirects: what relative IRIs are resolved against. */
  readonly url: string;
}

/** An answer that will be no better until the document changes, so that its validators are worth keeping. */
export interface Unusable extends Answered {
  readonly kind: 'unusable';
  readonly message: string;
  /** Of another media type, and of one that pods hold beside RDF: an image, a script, a text. */
  readonly otherType?: boolean;
}

interface PodQuestion {
  readonly url: string;
  readonly before: Validators;
  /** Members that are read of a container; the body is a document when absent. */
  readonly maxMembers?: number | undefined;
}

export type PodRequest = (question: PodQuestion, signal: AbortSignal) => Promise<Reading>;

/** Asks a pod for documents (see `ask`), and has them parsed. */
export function createPodRequest(options: PodOptions): PodRequest {
  return ({ url, before, maxMembers }, signal) => {
    // The pod itself has listed all others.
    const turn = url === options.url ? 'named' : 'listed';
    const question = { url, accept: ACCEPT, before, signal, turn } as const;
    return ask(options, question, async (answer): Promise<Reading | undefined> => {
      const { status, headers } = answer;
      const said = Date.parse(headers.get('date') ?? '');
      const about = { ...validatorsOf(headers), date: Number.isNaN(said) ? options.clock.now() : said };
      if (status === 200 || status === 203)
        return { ...(await readBody(answer, maxMembers, options, signal)), ...about };
      if (status === 401 || status === 403 || status === 404 || status === 410)
        return { kind: 'withdrawn', status };
      if (status === 304 && isConditional(before)) return { kind: 'unchanged', ...about };
      if (!isOtherFormat(status)) return undefined;
      const message = `answers ${status}: it is not to be had as Turtle or JSON-LD`;
      return { kind: 'unusable', message, otherType: true, date: about.date };
    });
  };
}

/** What cannot be parsed now, although nothing is wrong with it, is a failure. */
async function readBody(
  { status, headers, url, body }: FetchAnswer,
  maxMembers: number | undefined,
  { vocabulary: { namespace }, pool, trust, log }: PodOptions,
  signal: AbortSignal,
): Promise<Unanswered<Content> | Unanswered<Unusable> | Failed> {
  const served = mediaTypeOf(headers);
  const mediaType = parsedAs(served, url);
  if (mediaType === undefined) return { kind: 'unusable', ...wrongType(served) };
  try {
    const container = linksToContainerType(headers.get('link'));
    const asked = { text: await wholeBody(body), mediaType, baseIri: url, namespace, container, maxMembers };
    return { kind: 'content', url, ...(await podContent(asked, { pool, lane: trust, signal })) };
  } catch (error) {
    const message = explain(error);
    if (error instanceof MalformedInput) return { kind: 'unusable', message: `cannot be read: ${message}` };
    if (error instanceof FetchFailure && error.reason === 'too-large')
      return { kind: 'unusable', message: `is too large: ${message} (sync.maxBytes)` };
    if (error instanceof FetchFailure || signal.aborted) throw error;
    if (isParseFailure(error)) return { kind: 'failed', message, status };
    log.error({ document: url, err: error }, 'this node stumbled over a document');
    return { kind: 'failed', message: stumbled(error), status };
  }
}

/** HTML is what login pages are made of, so it is never taken for a document of another kind. */
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
  if (status < 300) return { message };
  const advice = status >= 500 ? ': its server has a problem; it is tried again' : '';
  return { message: `The pod ${message}${advice}`, notBefore };
}
