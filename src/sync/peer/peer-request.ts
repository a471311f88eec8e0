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

/** Why a peer is not read to its end when the time of its poll is over. */
export const TOO_SLOW = 'it answers so slowly that the poll was cut short; the next one goes on from here';

export interface PeerAccess {
  readonly fetch: GuardedFetch;
  readonly trust: Trust;
  readonly clock: Clock;
  /** The epoch of what this node stores, as of now: who names a state of it is the node itself. */
  readonly epoch: () => Promise<string>;
}

/** Representations to ask for: those of the first text, or, of nodes that do not understand it, those of one after another. */
export interface Wording {
  readonly accepts: readonly string[];
  /** The one media type that is of any use; a body of another one is not read. Any may be when absent. */
  readonly only?: string;
}

export const N_QUADS = 'application/n-quads';
/** What nodes of ours say with `?graphs=all`: every description, in the graph of its document. */
export const DATASET: Wording = { accepts: [N_QUADS], only: N_QUADS };
/** Nodes of the first version answer this with N-Quads that have all graphs. */
export const COMPONENTS: Wording = {
  accepts: [
    'application/n-quads, application/ld+json;q=0.9, application/json;q=0.8, text/turtle;q=0.7',
    'application/ld+json',
    'application/json',
    'text/turtle',
  ],
};
export const ADDRESSES: Wording = {
  accepts: ['text/turtle, application/json;q=0.9', 'application/json'],
};
/** The list of the specification, from a node whose Turtle is not understood. */
export const PLAIN_ADDRESSES: Wording = { accepts: ['application/json'] };
export const FEED: Wording = { accepts: ['application/json'] };

/** Answers of nodes that stumble over a list of media types, or over one that they do not know. */
const STUMBLES: readonly (number | undefined)[] = [400, 406, 415, 500, 501];

/**
 * Asks a peer for a resource, in its host's turn.
 * @param before makes the request conditional
 */
export type PeerRequest = (
  url: string,
  wording: Wording,
  before: Fingerprint,
  signal: AbortSignal,
) => Promise<PeerReading>;

/**
 * Remembers in which words the peer understood each question. Rejects when the poll is stopped; when its time is over, that is
 * a failure to get an answer.
 */
export function createPeerRequest(access: PeerAccess): PeerRequest {
  const understood = new Map<Wording, string>();
  return async (url, wording, before, signal) => {
    let first: PeerReading | undefined;
    for (const accept of new Set([understood.get(wording) ?? [], wording.accepts].flat())) {
      const reading = await ask(access, { url, accept, only: wording.only, before, signal });
      if (reading.kind === 'failed' && STUMBLES.includes(reading.status)) first ??= reading;
      else {
        understood.set(wording, accept);
        return reading;
      }
    }
    understood.delete(wording);
    return first ?? { kind: 'failed', message: 'it was not asked' };
  };
}

interface Question {
  readonly url: string;
  readonly accept: string;
  readonly only: string | undefined;
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
    if (state?.epoch !== own) return await readingOf(answer, question, clock);
    await answer.discard();
    return ITSELF;
  } catch (error) {
    throwIfStopped(signal);
    if (signal.aborted) return { kind: 'failed', message: TOO_SLOW };
    const reason = error instanceof FetchFailure ? error.reason : undefined;
    return { kind: 'failed', message: explain(error), reason };
  }
}

async function readingOf(
  answer: FetchAnswer,
  { only, before }: Question,
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
  const fingerprint = fingerprintOf(headers, sha.digest('base64url'));
  if (fingerprint.hash !== undefined && fingerprint.hash === before.hash)
    return { kind: 'unchanged', fingerprint };
  const links = parseLinks(headers.get('link'));
  const next = links.find(({ relations }) => relations.includes('next'))?.target;
  const said = headers.get('feed-lists') ?? '';
  const lists = /^[0-9a-f]{12}\.[0-9a-f]{12}$/.test(said) ? said : undefined;
  return { kind: 'whole', url, mediaType: mediaTypeOf(answer), text, fingerprint, next, lists };
}

function mediaTypeOf({ headers }: FetchAnswer): string {
  return parseMediaType(headers.get('content-type') ?? '')?.type ?? '';
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
