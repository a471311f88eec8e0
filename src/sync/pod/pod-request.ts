import { ACCEPT_RDF, parsedAs } from '../../component/rdf/parsed-as.js';
import type { ReadFailure } from '../../core/reading.js';
import { explain } from '../../lib/faults.js';
import { type FetchAnswer, FetchFailure } from '../../lib/fetch/guarded-fetch.js';
import { isConditional, type Validators, validatorsOf } from '../../lib/fetch/validators.js';
import { mediaTypeOf } from '../../lib/http/headers/media-type.js';
import type { LogTo } from '../../lib/log.js';
import { isOtherFormat } from '../../publish/refused-document.js';
import { Failed, parsed, stumbled } from '../failures.js';
import { ask, type ReaderParts } from '../request.js';
import { linksToContainerType } from './container.js';
import { type PodContent, podContentTask } from './pod-content.js';

const RDF_NEEDED = 'Turtle or JSON-LD is needed';

export interface PodOptions extends ReaderParts {
  /** Documents that are read of the pod at most. */
  readonly maxDocuments: number;
  readonly log: LogTo<'error'>;
}

/** What came of asking a pod for one document. */
export type PodAnswer =
  | Content
  | Unusable
  | (Pick<Answered, 'date'> & { readonly kind: 'unchanged' })
  /** Its author has withdrawn it from this reader, or from all. */
  | { readonly kind: 'withdrawn'; readonly status: 401 | 403 | 404 | 410 }
  | Failed;

/** `date`: when it was answered, by the server's clock where it has one, ms since the epoch. */
interface Answered extends Validators {
  readonly date: number;
}

/** What a whole body says. */
interface Content extends Answered, PodContent {
  readonly kind: 'content';
  /** After redirects: what relative IRIs are resolved against. */
  readonly url: string;
}

/** An answer that will be no better until the document changes, so that its validators are worth keeping. */
interface Unusable extends Answered {
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

export type PodRequest = (question: PodQuestion, signal: AbortSignal) => Promise<PodAnswer>;

/** Asks a pod for documents (see `ask`), and has them parsed. */
export function createPodRequest(options: PodOptions): PodRequest {
  return ({ url, before, maxMembers }, signal) => {
    // The pod itself has listed all others.
    const isCounted = url === options.url;
    const question = { url, accept: ACCEPT_RDF, before, signal, isCounted } as const;
    return ask(options, question, async (answer): Promise<PodAnswer | undefined> => {
      const { status, headers } = answer;
      const said = Date.parse(headers.get('date') ?? '');
      const date = Number.isNaN(said) ? options.clock.now() : said;
      if (status === 200 || status === 203)
        return readBody(answer, { ...validatorsOf(headers), date }, maxMembers, { ...options, signal });
      if (status === 401 || status === 403 || status === 404 || status === 410)
        return { kind: 'withdrawn', status };
      if (status === 304 && isConditional(before)) return { kind: 'unchanged', date };
      if (!isOtherFormat(status)) return undefined;
      const message = `answers ${status}: it is not to be had as Turtle or JSON-LD`;
      return { kind: 'unusable', message, otherType: true, date };
    });
  };
}

/** What cannot be parsed now, although nothing is wrong with it, is a failure. */
async function readBody(
  answer: FetchAnswer,
  answered: Answered,
  maxMembers: number | undefined,
  { vocabulary: { namespace }, pool, trust, log, signal }: PodOptions & { readonly signal: AbortSignal },
): Promise<Content | Unusable | Failed> {
  const { headers, url } = answer;
  const unusable = (message: string, otherType?: boolean): Unusable => {
    return { kind: 'unusable', message, otherType, ...answered };
  };
  const served = mediaTypeOf(headers);
  const mediaType = parsedAs(served, url);
  // HTML is what login pages are made of, so it is never taken for a document of another kind.
  if (mediaType === undefined)
    return served === ''
      ? unusable(`has no Content-Type: ${RDF_NEEDED}`)
      : unusable(`is ${served}: ${RDF_NEEDED}`, !/html/.test(served));
  try {
    const container = linksToContainerType(headers.get('link'));
    const asked = { text: await answer.bytes(), mediaType, baseIri: url, namespace, container, maxMembers };
    const content = await parsed(pool.run(podContentTask, asked, { lane: trust, signal }), signal);
    return { kind: 'content', url, ...content, ...answered };
  } catch (error) {
    if (error instanceof Failed) {
      // What takes too long is not read again until it changes: at each poll it would take as long.
      const isOfBody = error.why === 'malformed' || error.why === 'costly';
      return isOfBody ? unusable(`cannot be read: ${error.message}`) : error;
    }
    if (error instanceof FetchFailure && error.reason === 'too-large')
      return unusable(`is too large: ${explain(error)} (sync.maxBytes)`);
    if (error instanceof FetchFailure || signal.aborted) throw error;
    log.error({ document: url, err: error }, 'this node stumbled over a document');
    return new Failed(stumbled(error));
  }
}

/** Readings of a pod's own URL that say nothing about what it holds. */
type RootFailure = Exclude<PodAnswer, { kind: 'content' | 'unchanged' }>;

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
    return { message: `The pod answers ${status}${advice}` };
  }
  if (reading.kind === 'unusable') {
    const question = 'Is it the URL of a container or a document?';
    return { message: `The pod's URL ${reading.message}. ${question}` };
  }
  const { message, status = 0, notBefore } = reading;
  // There was no answer, or nothing is wrong with it.
  if (status < 300) return { message };
  const advice = status >= 500 ? ': its server has a problem; it is tried again' : '';
  return { message: `The pod ${message}${advice}`, notBefore };
}
