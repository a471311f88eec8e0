import type { Clock } from '../../lib/clock.js';
import type { FetchAnswer, FetchRequest, GuardedFetch } from '../../lib/fetch/guarded-fetch.js';
import { retryAfter } from '../../lib/fetch/retry-after.js';
import { NoStream } from './stream.js';

const SECOND = 1000;
/** Time that the other side has to answer at all. */
const ANSWER = 30 * SECOND;
/** Bytes of hints in the life of a stream. Whoever sends more does not send hints. */
const MOST_BYTES = 4_000_000;

export interface ListeningParts {
  readonly fetch: GuardedFetch;
  readonly clock: Clock;
}

/** How long an answer may go on. */
export interface Listening {
  readonly signal: AbortSignal;
  /** After so many ms it is ended: a connection that has died without a word would never be noticed. */
  readonly life: number;
  /** Longest pause in it, in ms, that means that it still lives. */
  readonly silence?: number;
}

/**
 * Asks for an answer that goes on for long. Rejects when there is no answer in time, or the one who waits for it gives up.
 */
export async function listen(
  { fetch, clock }: ListeningParts,
  url: string,
  request: Omit<FetchRequest, 'maxBytes' | 'timeoutMs' | 'signal'>,
  { signal, life, silence = life }: Listening,
): Promise<FetchAnswer> {
  const ending = new AbortController();
  const over = AbortSignal.any([signal, ending.signal]);
  const finish = () => ending.abort(new Error('it has ended'));
  const watch = { last: clock.now(), longest: ANSWER };
  endAtSilence(watch, clock, ending, over).catch(() => undefined);
  try {
    const bounds = { maxBytes: MOST_BYTES, timeoutMs: life, signal: over };
    const answer = await fetch(url, { ...request, ...bounds, turn: 'none' });
    Object.assign(watch, { last: clock.now(), longest: silence });
    const heard = () => {
      watch.last = clock.now();
    };
    return {
      ...answer,
      body: heardIn(answer.body, heard, finish),
      discard: () => answer.discard().finally(finish),
    };
  } catch (error) {
    finish();
    throw error;
  }
}

/** A loop: a stream lives for hours, and a function that waits for its own next call would be kept for each of its pauses. */
async function endAtSilence(
  watch: { last: number; readonly longest: number },
  clock: Clock,
  ending: AbortController,
  over: AbortSignal,
): Promise<void> {
  for (;;) {
    const now = clock.now();
    // A clock that was set back must not make a dead line look alive until it has caught up.
    watch.last = Math.min(watch.last, now);
    const left = watch.last + watch.longest - now;
    if (left <= 0) return ending.abort(new Error(`nothing has been heard for ${watch.longest / SECOND} s`));
    await clock.sleep(left, over);
  }
}

async function* heardIn(
  body: AsyncIterable<Uint8Array>,
  heard: () => void,
  finish: () => void,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of body) {
      heard();
      yield piece;
    }
  } finally {
    finish();
  }
}

/** The error for an answer that is no stream. */
export async function refusal(answer: FetchAnswer, clock: Clock, what: string): Promise<Error> {
  await answer.discard();
  const { status, headers, url } = answer;
  const message = `${url} answers ${status} and gives no ${what}`;
  const retryAt = retryAfter(headers.get('retry-after'), clock.now());
  if (retryAt !== undefined) return new NoStream(message, retryAt);
  return status >= 500 || status === 429 ? new Error(message) : new NoStream(message);
}
