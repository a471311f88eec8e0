import { setMaxListeners } from 'node:events';
import type { Readable } from 'node:stream';
import type { Clock } from '../clock.js';
import { explain } from '../faults.js';
import { linkedAbort } from '../linked-abort.js';
import { decodedBody, tooLarge, wholeBody } from './body-stream.js';
import { FetchFailure } from './fetch-failure.js';

/** Without a reason of its own, each abort would make an error with a stack. */
const RELEASED = new FetchFailure('aborted', 'the exchange has ended');

/**
 * One signal for all that may end an exchange early: its time is over, or its caller gave up. It is aborted with a FetchFailure,
 * and also by `release`, which is to be called when the exchange has ended.
 */
export function startDeadline(
  what: string,
  { timeoutMs, clock }: { readonly timeoutMs: number; readonly clock: Clock },
  caller?: AbortSignal,
): { readonly signal: AbortSignal; readonly release: () => void } {
  // One signal stops all the requests of a poll: many listeners on it are no leak to warn of.
  if (caller) setMaxListeners(0, caller);
  const givenUp = (reason: unknown) => new FetchFailure('aborted', 'the request was given up', reason);
  const { signal, abort, end } = linkedAbort(caller, givenUp);
  const late = () => abort(new FetchFailure('timeout', `${what} took longer than ${timeoutMs / 1000} s`));
  // `sleep` rejects when the exchange has ended, which is no error.
  clock.sleep(timeoutMs, signal).then(late, () => undefined);
  const release = () => {
    abort(RELEASED);
    end();
  };
  return { signal, release };
}

export interface FetchAnswer {
  readonly status: number;
  /** The URL that answered, after redirects. */
  readonly url: string;
  readonly headers: Headers;
  /** The body as it comes, decompressed; it comes once. Breaking off the loop closes the connection. @throws FetchFailure */
  readonly body: AsyncIterable<Uint8Array>;
  /** The whole body, in a buffer of its own. @throws FetchFailure */
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
  /** The whole body, decoded as UTF-8. @throws FetchFailure */
  text(): Promise<string>;
  /** Gives up on a body that nobody wants. */
  discard(): Promise<void>;
}

/** What came over the wire, and the bounds that its body is read within. */
export interface RawAnswer extends Pick<FetchAnswer, 'status' | 'url' | 'headers'> {
  readonly method: string;
  readonly raw: Readable;
  readonly maxBytes: number;
  readonly deadline: ReturnType<typeof startDeadline>;
}

/** The answer as its reader sees it. Its body can be read once; the deadline is released with it. */
export function fetchAnswer(answer: RawAnswer): FetchAnswer {
  const { status, url, headers, raw, deadline } = answer;
  const body = readBody(answer);
  // A body that nobody reads yet may fail meanwhile (its time is over): its reader, if any, gets the error.
  raw.on('error', () => undefined);
  return {
    status,
    url,
    headers,
    body,
    bytes: () => wholeBody(body),
    text: async () => new TextDecoder().decode(await wholeBody(body)),
    discard: () => drop(raw).finally(() => deadline.release()),
  };
}

async function* readBody(answer: RawAnswer): AsyncGenerator<Uint8Array> {
  const { raw, url, deadline, headers, maxBytes } = answer;
  try {
    if (!hasBody(answer)) return;
    if (Number(headers.get('content-length')) > maxBytes) throw tooLarge(maxBytes);
    yield* decodedBody(raw, headers.get('content-encoding'), maxBytes);
  } catch (error) {
    if (error instanceof FetchFailure) throw error;
    deadline.signal.throwIfAborted();
    throw new FetchFailure('truncated', `the body of ${url} broke off: ${explain(error)}`, error);
  } finally {
    raw.destroy();
    deadline.release();
  }
}

/** RFC 9112, section 6.3: these have none, whatever their header fields say. */
function hasBody({ method, status }: RawAnswer): boolean {
  return method !== 'HEAD' && status !== 204 && status !== 304;
}

/** Closes the connection of a body that has not come in full; resolves when it is given up. */
export function drop(raw: Readable): Promise<void> {
  return new Promise((resolve) => {
    if (raw.closed) return resolve();
    raw.once('close', resolve).on('error', () => resolve());
    raw.destroy();
  });
}
