import { parseBoundedJson } from '../lib/bounded-json.js';
import { MalformedInput } from '../lib/faults.js';
import { FetchFailure, type GuardedFetch } from '../lib/fetch/guarded-fetch.js';
import { withoutTrailingSlashes } from '../lib/trailing-slashes.js';

/**
 * Tells a node from a pod by looking: a node answers at `/peers` with a JSON array of addresses. What does not answer is
 * taken for a pod, whose poll says why. Rejects only when it is stopped.
 */
export async function recognise(
  url: string,
  fetch: GuardedFetch,
  signal: AbortSignal,
): Promise<'peer' | 'pod'> {
  const { origin, pathname } = new URL(url);
  const peers = `${withoutTrailingSlashes(origin + pathname)}/peers`;
  try {
    const answer = await fetch(peers, {
      trust: 'configured',
      headers: { accept: 'application/json' },
      signal,
    });
    const listed = answer.status === 200 ? parseBoundedJson(await answer.text()) : undefined;
    await answer.discard();
    return Array.isArray(listed) && listed.every((one) => typeof one === 'string') ? 'peer' : 'pod';
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof FetchFailure || error instanceof MalformedInput) return 'pod';
    throw error;
  }
}
