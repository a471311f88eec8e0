import type { FetchRequest, GuardedFetch } from './guarded-fetch.js';

export type FetchBounds = Pick<FetchRequest, 'trust' | 'maxBytes' | 'timeoutMs'>;

interface WebRequest {
  readonly method?: string;
  readonly headers?: Headers | Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

export type WebFetch = (url: string, request: WebRequest) => Promise<Response>;

/**
 * The guarded fetch as libraries call theirs (the Fetch standard). The body is read in full, within the bounds,
 * before the answer is handed over. `WWW-Authenticate` is left out: oauth4webapi would report what stands there
 * instead of the error code in the body.
 *
 * @throws FetchFailure (the returned function)
 */
export function webFetch(fetch: GuardedFetch, bounds: FetchBounds): WebFetch {
  return async (url, { method = 'GET', headers, body, signal }) => {
    const answer = await fetch(url, {
      ...bounds,
      method,
      // The request that it authorises may wait for it with a slot at the same host.
      turn: 'none',
      headers: Object.fromEntries(new Headers(headers)),
      body: body === undefined || body === null ? undefined : String(body),
      signal,
    });
    const text = await answer.text();
    const answered = new Headers(answer.headers);
    answered.delete('www-authenticate');
    // An answer like 204 must have no body at all.
    return new Response(text === '' ? null : text, { status: answer.status, headers: answered });
  };
}
