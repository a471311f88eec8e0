import { addressesFromJson } from '../component/network-list.js';
import { parseBoundedJson } from '../lib/bounded-json.js';
import type { GuardedFetch } from '../lib/fetch/guarded-fetch.js';
import { withoutTrailingSlashes } from '../lib/trailing-slashes.js';

/**
 * Tells a node from a pod by looking: a node answers at `/peers` with a JSON array of addresses. What does
 * not answer is taken for a pod, whose poll says why. Rejects only when it is stopped.
 */
export async function recognise(
  url: string,
  fetch: GuardedFetch,
  signal: AbortSignal,
): Promise<'peer' | 'pod'> {
  const { origin, pathname } = new URL(url);
  const peers = `${withoutTrailingSlashes(origin + pathname)}/peers`;
  try {
    const headers = { accept: 'application/json' };
    const answer = await fetch(peers, { trust: 'configured', headers, signal });
    const text = answer.status === 200 ? await answer.text() : 'null';
    await answer.discard();
    return addressesFromJson(parseBoundedJson(text)) ? 'peer' : 'pod';
  } catch {
    signal.throwIfAborted();
    return 'pod';
  }
}
