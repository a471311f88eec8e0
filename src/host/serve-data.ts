import { type DataRequest, detailOf, REQUESTS, RESPONSE, readRequest } from './data-events.js';
import { HostError } from './host-error.js';

/**
 * Does what a component asks for.
 * @returns what was actually read, written or appended
 * @throws whatever went wrong: the component is told that it did, the host application why
 */
export type DataHandler = (request: DataRequest, signal: AbortSignal) => Promise<unknown>;

export interface ServeOptions {
  /** What a handler may take; 30,000 when absent. Its signal is aborted then, and the component told of the failure. */
  readonly timeoutMs?: number;
  /** Hears why a request could not be served. A warning on the console when absent. */
  readonly report?: (error: unknown, request: Event) => void;
}

/**
 * Answers the data events of all components at or below `target`, also those that do not bubble. Each request gets exactly
 * one response, never before its dispatch is over: from the nearest element that serves data, since a request goes no further
 * than that. The response is dispatched where the request came from; of one from a closed shadow root, a host outside sees
 * only the element that has the root, so that this element gets the response.
 *
 * @returns stops listening; requests under way are still answered
 */
export function serveData(target: EventTarget, handler: DataHandler, options: ServeOptions = {}): () => void {
  const listening = new AbortController();
  const { signal } = listening;
  const take = (request: Event) => void answer(request, handler, options);
  // What does not bubble comes to the target only on its way down.
  const takeDown = (request: Event) => request.bubbles || take(request);
  for (const name of REQUESTS) {
    target.addEventListener(name, take, { signal });
    target.addEventListener(name, takeDown, { signal, capture: true });
  }
  return () => listening.abort();
}

async function answer(request: Event, handler: DataHandler, options: ServeOptions): Promise<void> {
  // Another host, here or above, would answer a second time.
  request.stopImmediatePropagation();
  const [asker] = request.composedPath();
  const { uri, type } = detailOf(request);
  const outcome = await attempt(request, handler, options);
  const detail = { uri, type, ...outcome, cause: request };
  asker?.dispatchEvent(new CustomEvent(RESPONSE, { detail }));
}

async function attempt(
  event: Event,
  handler: DataHandler,
  { timeoutMs = 30_000, report = warn }: ServeOptions,
): Promise<{ data: unknown; success: boolean }> {
  const patience = new AbortController();
  const timer = setTimeout(() => {
    patience.abort(new HostError('timeout', `${event.type} took longer than ${timeoutMs / 1000} s`));
  }, timeoutMs);
  try {
    const request = readRequest(event);
    return { data: await unlessAborted(handler(request, patience.signal), patience.signal), success: true };
  } catch (error) {
    report(error, event);
    return { data: undefined, success: false };
  } finally {
    clearTimeout(timer);
  }
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    promise.then(resolve, reject);
  });
}

/** For the developer of the page. */
export function warn(error: unknown, request: Event): void {
  const { uri } = detailOf(request);
  console.warn(`${request.type} of ${String(uri)} failed:`, error instanceof Error ? error.message : error);
}
