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
  /** What a node says of its lists of addresses, in short: see `listsDigest`. */
  readonly lists?: string;
}

export interface PeerFailure {
  readonly kind: 'failed';
  readonly message: string;
  readonly status?: number;
  /** `self`: it is the node that asks. `other-type`: the answer has not the one media type that was asked for. */
  readonly reason?: FetchFailureReason | 'self' | 'other-type';
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

export interface PeerAccess {
  readonly fetch: GuardedFetch;
  readonly trust: Trust;
  readonly clock: Clock;
  /** The epoch of what this node stores, as of now: who names a state of it is the node itself. */
  readonly epoch: () => Promise<string>;
}

export interface PeerQuestion {
  readonly url: string;
  readonly accept: string;
  /** The one media type that is of any use; a body of another one is not read. Any may be when absent. */
  readonly only?: string | undefined;
  /** Makes the request conditional. */
  readonly before: Fingerprint;
  readonly signal: AbortSignal;
}

export type PeerRequest = (question: PeerQuestion) => Promise<PeerReading>;

/**
 * Asks a peer for a resource, in its host's turn. Rejects when the poll is stopped; when its time is over, that is
 * a failure to get an answer.
 */
export function createPeerRequest({ fetch, trust, clock, epoch }: PeerAccess): PeerRequest {
  return async (question) => {
    const { url, accept, before, signal } = question;
    try {
      signal.throwIfAborted();
      const headers = { accept, ...conditionsOf(before) };
      // Asked before there is an answer, which nobody would discard if this failed.
      const own = await epoch();
      const answer = await fetch(url, { trust, signal, headers });
      const state = parseCursor(answer.headers.get('feed-cursor') ?? '');
      if (state?.epoch !== own) return await readingOf(answer, question, clock);
      await answer.discard();
      return ITSELF;
    } catch (error) {
      throwIfStopped(signal);
      if (signal.aborted) return { kind: 'failed', message: TOO_SLOW };
      const reason = error instanceof FetchFailure ? error.reason : undefined;
      return { kind: 'failed', message: explain(error), reason };
    }
  };
}

/** Why a peer is not read to its end when the time of its poll is over. */
export const TOO_SLOW = 'it answers so slowly that the poll was cut short; the next one goes on from here';

async function readingOf(
  answer: FetchAnswer,
  { only, before }: PeerQuestion,
  clock: Clock,
): Promise<PeerReading> {
  const { status, headers } = answer;
  if (status === 200) {
    const type = mediaTypeOf(answer);
    if (only === undefined || type === only) return readBody(answer, before);
    await answer.discard();
    return { kind: 'failed', message: `answers with ${type || 'no media type'}`, reason: 'other-type' };
  }
  await answer.discard();
  if (status === 304 && isConditional(before)) return { kind: 'unchanged', fingerprint: before };
  const notBefore = retryAfter(headers.get('retry-after'), clock.now());
  return { kind: 'failed', message: `answers ${status}`, status, notBefore };
}

async function readBody(answer: FetchAnswer, before: Fingerprint): Promise<PeerReading> {
  const { url, headers } = answer;
  const sha = createHash('sha256');
  const text = await wholeBody(hashed(answer.body, sha), headers);
  const hash = sha.digest('base64url');
  const fingerprint = fingerprintOf(headers, hash);
  if (fingerprint.hash !== undefined && fingerprint.hash === before.hash)
    return { kind: 'unchanged', fingerprint };
  const next = nextPage(headers.get('link'));
  const about = { url, mediaType: mediaTypeOf(answer), next, lists: listsIn(headers) };
  return { kind: 'whole', text, fingerprint, ...about };
}

function listsIn(headers: Headers): string | undefined {
  const lists = headers.get('feed-lists') ?? '';
  return /^[0-9a-f]{12}\.[0-9a-f]{12}$/.test(lists) ? lists : undefined;
}

function mediaTypeOf({ headers }: FetchAnswer): string {
  return parseMediaType(headers.get('content-type') ?? '')?.type ?? '';
}

function nextPage(link: string | null): string | undefined {
  return parseLinks(link).find(({ relations }) => relations.includes('next'))?.target;
}

export type Parameters = Readonly<Record<string, string | undefined>>;

/** An address with those of these parameters that have a value, in this order. A comma means nothing in a query, and need not be escaped. */
export function addressWith(address: string, parameters: Parameters): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.append(name, value);
  return query.size === 0 ? address : `${address}?${query.toString().replaceAll('%2C', ',')}`;
}
