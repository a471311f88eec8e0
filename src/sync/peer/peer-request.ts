import { createHash } from 'node:crypto';
import { parseCursor } from '../../core/cursor.js';
import type { Clock } from '../../lib/clock.js';
import { explain } from '../../lib/faults.js';
import { hashed, wholeBody } from '../../lib/fetch/body-stream.js';
import type { FetchFailureReason } from '../../lib/fetch/fetch-failure.js';
import {
  type FetchAnswer,
  FetchFailure,
  type GuardedFetch,
  type Trust,
} from '../../lib/fetch/guarded-fetch.js';
import { retryAfter } from '../../lib/fetch/retry-after.js';
import { conditionsOf, isConditional } from '../../lib/fetch/validators.js';
import { parseLinks } from '../../lib/http/headers/link-header.js';
import { parseMediaType } from '../../lib/http/headers/media-type.js';
import { throwIfStopped } from '../source-reader.js';
import { type Fingerprint, fingerprintOf } from './fingerprint.js';

/** What came of asking a peer for one resource. */
export type PeerReading =
  | PeerBody
  | { readonly kind: 'unchanged'; readonly fingerprint: Fingerprint }
  | PeerFailure;

export interface PeerBody {
  readonly kind: 'whole';
  /** After redirects. */
  readonly url: string;
  /** Lower case; empty when the peer names none. */
  readonly mediaType: string;
  /** In UTF-8, unless the peer is wrong. Handed to a worker when it is parsed, and gone then. */
  readonly text: Uint8Array;
  readonly fingerprint: Fingerprint;
  /** The target of the link to the next page (RFC 8288). */
  readonly next?: string;
  /** Does it name a state of a change feed, as listings of nodes of ours do? */
  readonly isOfFeed: boolean;
  /** What a node says of its lists of addresses, in short: see `listsDigest`. */
  readonly lists?: string;
}

export interface PeerFailure {
  readonly kind: 'failed';
  readonly message: string;
  readonly status?: number;
  /** `self`: it is the node that asks. */
  readonly reason?: FetchFailureReason | 'self';
  /** The time that `Retry-After` asks to wait for, ms since the epoch. */
  readonly notBefore?: number;
}

/** A node that took its own statements for a peer's would keep what is deleted from it (design, section 6). */
export const ITSELF: PeerFailure = {
  kind: 'failed',
  reason: 'self',
  message:
    'this is the node itself, by another name than its baseUrl, or one on a copy of its data; it is not read (a node of its own begins with an empty data directory, or with an import)',
};

/** Why a peer is not read to its end when the time of its poll is over. */
export const TOO_SLOW = 'it answers so slowly that the poll was cut short; the next one goes on from here';

export interface PeerAccess {
  readonly fetch: GuardedFetch;
  readonly trust: Trust;
  readonly clock: Clock;
  /** The epoch of what this node stores, as of now: who names a state of it is the node itself. */
  readonly epoch: () => Promise<string>;
}

/** Media types to ask for. */
export const ACCEPT = {
  /** What nodes of ours say with `?graphs=all`: every description, in the graph of its document. */
  dataset: 'application/n-quads',
  components: 'application/n-quads, application/ld+json;q=0.9, application/json;q=0.8, text/turtle;q=0.7',
  addresses: 'text/turtle, application/json;q=0.9',
  feed: 'application/json',
  any: '*/*',
} as const;

/** Answers of nodes that stumble over a list of media types, or over one that they do not know. */
const STUMBLES: readonly (number | undefined)[] = [400, 406, 415, 500, 501];
/** Answers of nodes that do not have what they are asked for, or do not understand its parameters. */
const UNKNOWN: readonly (number | undefined)[] = [400, 401, 403, 404, 405, 406, 410, 415, 422, 500, 501];

/** Is it an answer of a node that does not know the resource, and not only trouble with it? */
export function isUnknownThere({ status }: PeerFailure): boolean {
  return UNKNOWN.includes(status);
}

/**
 * Asks a peer for a resource, in its host's turn. Rejects when the poll is stopped; when its time is over, that is a failure to
 * get an answer.
 * @param before makes the request conditional
 */
export type PeerRequest = (
  url: string,
  accept: string,
  before: Fingerprint,
  signal: AbortSignal,
) => Promise<PeerReading>;

/** A node that stumbles over lists of media types is asked for whatever it likes to give, from then on. */
export function createPeerRequest(access: PeerAccess): PeerRequest {
  let stumbles = false;
  return async (url, accept, before, signal) => {
    const isList = accept.includes(',');
    const asked = isList && stumbles ? ACCEPT.any : accept;
    const reading = await ask(access, { url, accept: asked, before, signal });
    const isStumble = reading.kind === 'failed' && STUMBLES.includes(reading.status);
    if (!isList || stumbles || !isStumble) return reading;
    const other = await ask(access, { url, accept: ACCEPT.any, before, signal });
    stumbles = other.kind !== 'failed';
    return stumbles ? other : reading;
  };
}

interface Question {
  readonly url: string;
  readonly accept: string;
  readonly before: Fingerprint;
  readonly signal: AbortSignal;
}

async function ask({ fetch, trust, clock, epoch }: PeerAccess, question: Question): Promise<PeerReading> {
  const { url, accept, before, signal } = question;
  try {
    signal.throwIfAborted();
    const headers = { accept, ...conditionsOf(before) };
    // Asked before there is an answer, which nobody would discard if this failed.
    const own = await epoch();
    const answer = await fetch(url, { trust, signal, headers });
    const state = parseCursor(answer.headers.get('feed-cursor') ?? '');
    if (state?.epoch !== own) return await readingOf(answer, before, clock);
    await answer.discard();
    return ITSELF;
  } catch (error) {
    throwIfStopped(signal);
    if (signal.aborted) return { kind: 'failed', message: TOO_SLOW };
    const reason = error instanceof FetchFailure ? error.reason : undefined;
    const advice = reason === 'too-large' ? ': raise sync.maxBytes to read it' : '';
    return { kind: 'failed', message: explain(error) + advice, reason };
  }
}

async function readingOf(answer: FetchAnswer, before: Fingerprint, clock: Clock): Promise<PeerReading> {
  const { status, headers } = answer;
  if (status === 200) return readBody(answer, before);
  await answer.discard();
  if (status === 304 && isConditional(before)) return { kind: 'unchanged', fingerprint: before };
  const notBefore = retryAfter(headers.get('retry-after'), clock.now());
  return { kind: 'failed', message: `answers ${status}`, status, notBefore };
}

async function readBody({ url, headers, body }: FetchAnswer, before: Fingerprint): Promise<PeerReading> {
  const sha = createHash('sha256');
  const text = await wholeBody(hashed(body, sha));
  const fingerprint = fingerprintOf(headers, sha.digest('base64url'));
  if (fingerprint.hash !== undefined && fingerprint.hash === before.hash)
    return { kind: 'unchanged', fingerprint };
  const links = parseLinks(headers.get('link'));
  return {
    kind: 'whole',
    url,
    mediaType: parseMediaType(headers.get('content-type') ?? '')?.type ?? '',
    text,
    fingerprint,
    next: links.find(({ relations }) => relations.includes('next'))?.target,
    isOfFeed: headers.has('feed-cursor'),
    lists: headers.get('feed-lists') ?? undefined,
  };
}

/** A page that is not the first was asked for without conditions. */
export function notWhole(reading: Exclude<PeerReading, PeerBody>): PeerFailure {
  return reading.kind === 'failed' ? reading : { kind: 'failed', message: 'answers 304 unasked' };
}

/** An address with those of these parameters that have a value, in place of those of the same names that it had. */
export function addressWith(
  address: string,
  parameters: Readonly<Record<string, string | number | undefined>>,
): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined) url.searchParams.set(name, String(value));
  return url.href;
}
