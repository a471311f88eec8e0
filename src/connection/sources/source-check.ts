import { LRUCache } from 'lru-cache';
import type { Clock } from '../../lib/clock.js';
import { counted } from '../../lib/counted.js';
import { createRateLimit } from '../../lib/rate-limit.js';
import type { Invite } from '../records/invite.js';
import { uriKey } from '../uri.js';
import type { FailedReading, ReadSource, WholeReading } from './source-reading.js';

/** Reads the source that somebody names who has the link of the invite. `retryMs`: in so many ms it may be tried again. */
export type CheckSource = (
  invite: Invite,
  source: string,
) => Promise<WholeReading | (FailedReading & { readonly retryMs?: number })>;

/** Longest time that a person waits for the answer of a source, in ms. */
const LONGEST_MS = 10_000;
/**
 * Whoever has a link can have this node ask other servers, and learns from the page what they answer. So each invite
 * allows only a few tries, and all invites together only so many.
 */
const ALL = { concurrent: 8, perMinute: 120 };
const EACH = { concurrent: 4, perMinute: 10 };
/** Of so many invites, those that were tried last; `ALL` bounds the others. */
const REMEMBERED_INVITES = 1_000;

export interface SourceCheckParts {
  readonly read: ReadSource;
  readonly clock: Pick<Clock, 'now'>;
  /** How long a request may take, in ms. */
  readonly timeoutMs: number;
  /** Aborts what is under way. */
  readonly signal: AbortSignal;
}

export function createSourceCheck({ read, clock, timeoutMs, signal }: SourceCheckParts): CheckSource {
  const all = createRateLimit(clock, ALL);
  const limits = new LRUCache({
    max: REMEMBERED_INVITES,
    memoMethod: (_invite: string) => createRateLimit(clock, EACH),
  });
  const busy = (retryMs: number) => {
    const message = `Too many sources are being tried. Try again in ${counted(Math.ceil(retryMs / 1000), 'second')}`;
    return { kind: 'failed', message, retryMs } as const;
  };
  return ({ uri, holder }, source) => {
    const work = async () => {
      const reading = await read({ url: source, signal, timeoutMs: Math.min(timeoutMs, LONGEST_MS) });
      // Nothing was known of the document, so that its server cannot have answered that it is unchanged.
      if (reading.kind === 'unchanged') throw new Error('an unknown document is said to be unchanged');
      return reading;
    };
    const limit = limits.memo(`${uriKey(holder)} ${uriKey(uri)}`);
    return limit.run<Awaited<ReturnType<CheckSource>>>(() => all.run(work, busy), busy);
  };
}
