import type { FetchAnswer, FetchRequest, GuardedFetch } from './guarded-fetch.js';

/** The right to read private resources. */
export interface Credentials {
  /** Headers for one request; see `FetchRequest.authorize`. */
  authorize(request: { url: string; method: string }): Promise<Readonly<Record<string, string>>>;
  /** To be told of a 401, after which the request is made once more. Absent where there is nothing to renew. */
  invalidate?(refusal: Pick<FetchAnswer, 'url' | 'headers'>): void;
}

/** Asks with credentials, once more when they are refused the first time: a token may have run out. */
export async function authorizedFetch(
  fetch: GuardedFetch,
  url: string,
  request: FetchRequest,
  credentials: Credentials | undefined,
): Promise<FetchAnswer> {
  if (!credentials) return fetch(url, request);
  const authorize = credentials.authorize.bind(credentials);
  const answer = await fetch(url, { ...request, authorize });
  if (answer.status !== 401 || !credentials.invalidate) return answer;
  await answer.discard();
  credentials.invalidate(answer);
  return fetch(url, { ...request, authorize });
}
