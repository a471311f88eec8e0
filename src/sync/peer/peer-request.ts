import { createHash } from 'node:crypto';
import { parseCursor } from '../../core/cursor.js';
import type { ReadLimits } from '../../core/reading.js';
import type { StoredSource } from '../../core/source-record.js';
import { parsedUrl } from '../../lib/can-parse-url.js';
import type { FetchAnswer } from '../../lib/fetch/guarded-fetch.js';
import { isConditional, validatorsOf } from '../../lib/fetch/validators.js';
import { parseLinks } from '../../lib/http/headers/link-header.js';
import { mediaTypeOf } from '../../lib/http/headers/media-type.js';
import type { Task, Undecoded } from '../../lib/pool/task.js';
import { Failed, malformed } from '../failures.js';
import { type Access, ask, type Question, type ReaderParts } from '../request.js';
import type { Fingerprint, PeerMemo } from './peer-memo.js';

interface PeerQuestion extends Question {
  readonly before: Fingerprint;
}

/** What a peer answers when it is asked for a resource. */
interface PeerAnswer {
  /** Tells the state of the resource. */
  readonly mark: Fingerprint;
  /** Absent where it is as it was. */
  readonly page?: PeerPage | undefined;
}

export interface PeerPage extends Pick<FetchAnswer, 'url' | 'headers'> {
  /** Lower case; empty when the peer names none. */
  readonly mediaType: string;
  /** In UTF-8, unless the peer is wrong. */
  readonly text: Uint8Array;
}

/** A node that took its own statements for a peer's would keep what is deleted (design, section 6). */
const ITSELF =
  'this is the node itself, by another name than its baseUrl, or one on a copy of its data; it is ' +
  'not read (a node of its own begins with an empty data directory, or with an import)';

export interface PeerAccess extends Access {
  /** The epoch of what this node stores, as of now: who names a state of it is the node itself. */
  readonly epoch: () => Promise<string>;
}

/** Answers of nodes that stumble over a list of media types, or over one that they do not know. */
const STUMBLES: readonly (number | undefined)[] = [400, 406, 415, 500, 501];
/** Answers of nodes that do not have what they are asked for, or do not understand its parameters. */
const UNKNOWN: readonly (number | undefined)[] = [400, 401, 403, 404, 405, 406, 410, 415, 422, 500, 501];

/**
 * Asks a peer for a resource; see `ask`. A node that stumbles over a list of media types is asked once more,
 * for whatever it likes to give.
 * @throws Failed
 */
export async function askPeer(access: PeerAccess, question: PeerQuestion): Promise<PeerAnswer> {
  const first = await askOnce(access, question);
  const stumbles =
    first instanceof Failed && question.accept.includes(',') && STUMBLES.includes(first.status);
  const answer = stumbles ? await askOnce(access, { ...question, accept: '*/*' }) : first;
  if (!(answer instanceof Failed)) return answer;
  const advice = answer.reason === 'too-large' ? ': raise sync.maxBytes to read it' : '';
  const why = UNKNOWN.includes(answer.status) ? 'unknown' : undefined;
  throw new Failed(answer.message + advice, { ...answer, why });
}

async function askOnce(access: PeerAccess, question: PeerQuestion): Promise<PeerAnswer | Failed> {
  const { before } = question;
  // Asked before there is an answer.
  const own = await access.epoch();
  return ask(access, question, async (answer) => {
    const { status, headers, url } = answer;
    if (parseCursor(headers.get('feed-cursor') ?? '')?.epoch === own)
      return new Failed(ITSELF, { reason: 'self' });
    if (status === 304 && isConditional(before)) return { mark: before };
    if (status !== 200) return undefined;
    const text = await answer.bytes();
    const mark = fingerprintOf(headers, text);
    if (mark.hash !== undefined && mark.hash === before.hash) return { mark };
    return { mark, page: { url, headers, mediaType: mediaTypeOf(headers), text } };
  });
}

/** Dates have a resolution of one second (RFC 9110, section 8.8.2.2). */
const RESOLUTION_MS = 1000;

/**
 * `Last-Modified` is used where a conditional request may use it: not a date in the second of the answer,
 * because the resource may have changed again within it; nor one after the answer, or one that cannot be
 * read, because some nodes answer 304 to such dates whatever has happened.
 */
export function fingerprintOf(headers: Headers, body: Uint8Array): Fingerprint {
  const { etag, lastModified = '' } = validatorsOf(headers);
  if (etag) return { etag };
  const age = Date.parse(headers.get('date') ?? '') - Date.parse(lastModified);
  const hash = createHash('sha256').update(body).digest('base64url');
  return { lastModified: age >= RESOLUTION_MS ? lastModified : undefined, hash };
}

/** What one poll of one peer works with, whether it reads the peer's feed or its listing. */
export interface PeerPolling extends Pick<ReaderParts, 'url' | 'vocabulary' | 'clock'> {
  /** Its URL without a slash at the end: paths are put behind it. */
  readonly peer: string;
  readonly isMirror: boolean;
  readonly stored: StoredSource | undefined;
  /** What is remembered of the peer's resources, with the name under which they are read now. */
  readonly remembered: PeerMemo;
  readonly limits: ReadLimits;
  readonly signal: AbortSignal;
  /** See `askPeer`. */
  readonly ask: (url: string, accept: string, before?: Fingerprint) => Promise<PeerAnswer>;
  /** Runs a task for as long as the poll lasts. @throws Failed */
  readonly parse: <Input, Said extends object>(
    task: Task<Input, Said>,
    input: Undecoded<Input>,
  ) => Promise<Said>;
}

/** So many pages may be almost empty, since each costs a request; and one more for every so many bytes. */
const SPARSE = { pages: 100, bytes: 500 } as const;
/** Bytes of all pages beyond ten times what is kept of a peer: it might send the same without an end. */
const MORE_BYTES = 20_000_000;

/**
 * Asks for a resource of a peer to its last page; it comes in as many as the peer likes. The mark of each
 * answer is that of all pages until then.
 * @throws Failed
 */
export async function* readPages(
  { peer, ask, limits }: PeerPolling,
  { path, accept, before }: Pick<PeerQuestion, 'accept'> & { path: string; before: Fingerprint | undefined },
): AsyncGenerator<PeerAnswer> {
  const most = MORE_BYTES + 10 * limits.most.bytes;
  const asked = new Set<string>();
  let bytes = 0;
  let mark: Fingerprint | undefined;
  for (let at: string | undefined = peer + path; at !== undefined; ) {
    if (asked.has(at)) throw malformed('its pages lead in a circle');
    if (asked.size > SPARSE.pages + bytes / SPARSE.bytes)
      throw malformed(`it comes in ${asked.size} pages that are almost empty`);
    if (bytes > most) throw malformed(`it comes with more than ${most} bytes`);
    const { page, ...answer }: PeerAnswer = mark
      ? await ask(at, accept).catch(onceBegun)
      : await ask(at, accept, before);
    // Without a tag, one page's hash says nothing of the others; pages of several states are read again.
    mark = !mark || (mark.etag !== undefined && mark.etag === answer.mark.etag) ? answer.mark : {};
    asked.add(at);
    bytes += page?.text.length ?? 0;
    yield { mark, page };
    at = page && behind(page, at);
  }
}

/** What has begun is there: that a later page cannot be had is a failure, and nothing more. */
function onceBegun(error: unknown): never {
  throw error instanceof Failed ? new Failed(error.message, { ...error, why: undefined }) : error;
}

/**
 * Where the page behind one is (RFC 8288); undefined behind the last. A node may be known by another address
 * than its own, which its links begin with: of those of our kind, only the parameters count. Any other link
 * is followed as it is, at the server that answered and at no other. What is on pages that cannot be followed
 * would seem to be gone: that is a failure.
 * @param asked the address that the page was asked for at
 */
function behind(page: PeerPage, asked: string): string | undefined {
  const next = parseLinks(page.headers.get('link')).find(({ relations }) => relations.includes('next'));
  if (next === undefined) return undefined;
  const target = parsedUrl(next.target, page.url);
  if (target?.searchParams.has('after')) return new URL(target.search, asked).href;
  if (target?.origin !== new URL(page.url).origin)
    throw malformed('it comes in pages that this node cannot follow');
  return target.href;
}
