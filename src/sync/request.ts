import type { Vocabulary } from '../component/vocabulary.js';
import type { Clock } from '../lib/clock.js';
import { explain } from '../lib/faults.js';
import {
  type Credentials,
  type FetchAnswer,
  FetchFailure,
  type FetchRequest,
  type GuardedFetch,
  type Trust,
} from '../lib/fetch/guarded-fetch.js';
import { conditionsOf, type Validators } from '../lib/fetch/validators.js';
import { retryAfter } from '../lib/http/headers/http-date.js';
import type { TaskPool } from '../lib/pool/task.js';
import { Failed, TOO_SLOW } from './failures.js';
import { throwIfStopped } from './source-reader.js';

/** How a source is asked. `credentials`: see `createPodCredentials`. */
export interface Access {
  readonly fetch: GuardedFetch;
  readonly trust: Trust;
  readonly clock: Clock;
  readonly credentials?: Credentials | undefined;
}

/** What a reader of a source is made of. `url`: of the source, as it is stored. */
export interface ReaderParts extends Access {
  readonly url: string;
  readonly vocabulary: Vocabulary;
  /** Parses what the source answers. */
  readonly pool: TaskPool;
}

export interface Question extends Pick<FetchRequest, 'isCounted' | 'maxBytes' | 'timeoutMs'> {
  readonly url: string;
  readonly accept: string;
  /** Makes the request conditional. */
  readonly before: Validators;
  readonly signal: AbortSignal;
}

/**
 * Asks a source for a resource. Rejects when the poll is stopped; when its time is over, that is a failure to
 * get an answer.
 * @param read makes of an answer what it says; undefined for one that says nothing. A body that it leaves is
 * given up
 */
export async function ask<T>(
  { fetch, trust, clock, credentials }: Access,
  { url, accept, before, signal, ...bounds }: Question,
  read: (answer: FetchAnswer) => Promise<T | undefined>,
): Promise<T | Failed> {
  try {
    signal.throwIfAborted();
    const headers = { accept, ...conditionsOf(before) };
    const answer = await fetch(url, { ...bounds, trust, signal, headers, credentials });
    try {
      return (await read(answer)) ?? refusedBy(answer, clock);
    } finally {
      await answer.discard();
    }
  } catch (error) {
    throwIfStopped(signal);
    if (signal.aborted) return new Failed(TOO_SLOW);
    return new Failed(explain(error), error instanceof FetchFailure ? { reason: error.reason } : {});
  }
}

function refusedBy({ status, headers }: FetchAnswer, clock: Clock): Failed {
  const notBefore = retryAfter(headers.get('retry-after'), clock.now());
  return new Failed(`answers ${status}`, { status, notBefore });
}
