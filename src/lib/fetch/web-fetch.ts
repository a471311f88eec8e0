import type { FetchRequest, GuardedFetch } from './guarded-fetch.js';

export type FetchBounds = Pick<FetchRequest, 'trust' | 'maxBytes' | 'timeoutMs' | 'credentials'>;

/**
 * The guarded fetch as libraries and browsers call theirs (the Fetch standard). The body is read in full, within the bounds,
 * before the answer is handed over; what keeps an answer from being had is a `FetchFailure`.
 */
export function webFetch(
  fetch: GuardedFetch,
  bounds: FetchBounds,
): (url: string, request?: RequestInit) => Promise<Response> {
  return async (url, { method, headers, body, signal } = {}) => {
    const request = {
      ...bounds,
      method,
      headers: Object.fromEntries(new Headers(headers)),
      body: typeof body === 'string' ? body : undefined,
      signal: signal ?? undefined,
      isCounted: false,
    } as const;
    const answer = await fetch(url, request);
    const { status } = answer;
    const bytes = await answer.bytes();
    // No `Response` takes a body for these.
    return new Response([204, 205, 304].includes(status) ? null : bytes, { status, headers: answer.headers });
  };
}
