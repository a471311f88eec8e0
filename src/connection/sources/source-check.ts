import { LRUCache } from 'lru-cache';
import type { Clock } from '../../lib/clock.js';
import { Problem } from '../../lib/http/problem.js';
import { createRateLimit } from '../../lib/rate-limit.js';
import type { Invite } from '../records/invite.js';
import type { Reading, ReadSource } from './source-reading.js';

/** Reads the source that somebody names who has the link of the invite. @throws Problem 429 */
export type CheckSource = (invite: Invite, source: string) => Promise<Reading>;

/** Longest time that a person waits for the answer of a source, in ms. */
const LONGEST_MS = 10_000;
/**
 * Whoever has a link can have this node ask other servers, and learns from the page what they answer. So each invite
 * allows only a few tries, and all invites together only so many; which invites were tried is remembered of the last ones.
 */
const BOUNDS = {
  all: { concurrent: 8, perMinute: 120 },
  each: { concurrent: 4, perMinute: 10 },
  remembered: 1_000,
} as const;

/** `signal`: aborts what is under way. */
export function createSourceCheck(read: ReadSource, clock: Clock, signal: AbortSignal): CheckSource {
  const all = createRateLimit(clock, BOUNDS.all);
  const memoMethod = (_invite: string) => createRateLimit(clock, BOUNDS.each);
  const limits = new LRUCache({ max: BOUNDS.remembered, memoMethod });
  const refuse = (retryMs: number): never => {
    const headers = { 'retry-after': String(Math.ceil(retryMs / 1000)) };
    throw new Problem(429, 'Too many sources are being tried; try again in a minute', { headers });
  };
  return ({ uri, holder }, url) => {
    const work = () => all.run(() => read({ url, signal, timeoutMs: LONGEST_MS }), refuse);
    return limits.memo(`${holder} ${uri}`).run(work, refuse);
  };
}
