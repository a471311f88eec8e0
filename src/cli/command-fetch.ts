import { createGuardedFetch, type GuardedFetch } from '../lib/fetch/guarded-fetch.js';
import { VERSION } from '../lib/version.js';

/**
 * Gives a command a fetch for as long as its task lasts. Private addresses are allowed, because users run commands on their
 * own machine and choose the addresses themselves.
 */
export async function withCommandFetch<T>(
  command: string,
  task: (fetch: GuardedFetch) => Promise<T>,
): Promise<T> {
  const userAgent = `component-registry-node/${VERSION} ${command}`;
  const bounds = { maxBytes: 10_000_000, timeoutMs: 30_000 };
  const fetch = createGuardedFetch({ userAgent, allowPrivate: true, ...bounds });
  try {
    return await task(fetch);
  } finally {
    await fetch.close();
  }
}
