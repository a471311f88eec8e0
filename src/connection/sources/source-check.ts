import { LRUCache } from 'lru-cache';
import type { Clock } from '../../lib/clock.js';
import { createRateLimit, type RateLimit } from '../../lib/rate-limit.js';
import type { Invite } from '../records/invite.js';
import { uriKey } from '../uri.js';
import type { FailureReason, Reading, SourceRequest, WholeReading } from './source-reading.js';

/** What became of reading a source before an invite is accepted. */
export type Checked =
  | { readonly kind: 'readable'; readonly reading: WholeReading }
  | { readonly kind: 'failed'; readonly reason: FailureReason; readonly message: string }
  /** Too many sources are being read; to be tried again after so many ms. */
  | { readonly kind: 'busy'; readonly retryMs: number };

/** Reads the source that somebody names who has the link of the invite. */
export type CheckSource = (invite: Invite, source: string) => Promise<Checked>;

/** Longest time that a person waits for the answer of a source, in ms. */
const LONGEST_MS = 10_000;

/**
 * Whoever has a link can have this node ask other servers, and learns from the page what they answer. So each invite
 * allows only a few tries, and all invites together only so many.
 */
const ALL = { concurrent: 8, perMinute: 120 };
/** Of so many invites, those that were tried last; `ALL` bounds the others. */
const REMEMBERED_INVITES = 1_000;
const EACH = { concurrent: 4, perMinute: 10 };

export interface SourceCheckParts {
  readonly read: (request: SourceRequest) => Promise<Reading>;
  readonly clock: Pick<Clock, 'now'>;
  /** How long a request may take, in ms. */
  readonly timeoutMs: number;
  /** Aborts what is under way. */
  readonly signal: AbortSignal;
}

export function createSourceCheck({ read, clock, timeoutMs, signal }: SourceCheckParts): CheckSource {
  const all = createRateLimit(clock, ALL);
  const each = new LRUCache<string, RateLimit>({ max: REMEMBERED_INVITES });
  const limitOf = ({ uri, holder }: Invite): RateLimit => {
    const key = `${uriKey(holder)} ${uriKey(uri)}`;
    const limit = each.get(key) ?? createRateLimit(clock, EACH);
    each.set(key, limit);
    return limit;
  };
  const busy = (retryMs: number): Checked => ({ kind: 'busy', retryMs });
  return (invite, source) => {
    const work = async () => {
      const request = { url: source, known: {}, credentials: undefined, signal };
      return checked(await read({ ...request, timeoutMs: Math.min(timeoutMs, LONGEST_MS) }));
    };
    return limitOf(invite).run(() => all.run(work, busy), busy);
  };
}

function checked(reading: Reading): Checked {
  if (reading.kind === 'failed') return reading;
  // Nothing was known of the document, so that its server cannot have answered that it is unchanged.
  if (reading.kind === 'unchanged') throw new Error('a document that was not known is said to be unchanged');
  return { kind: 'readable', reading };
}
