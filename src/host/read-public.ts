import { pageFetch } from './fetching.js';
import type { Quad } from './quad.js';
import { solidData } from './solid-data.js';

const withoutCredentials = solidData({
  fetch: (url, init) => pageFetch(url, { ...init, credentials: 'omit', referrerPolicy: 'no-referrer' }),
});

/** Reads a document that is public, without credentials: its server need not know who reads. @throws HostError */
export function readPublic(uri: string): Promise<readonly Quad[]> {
  const request = { action: 'read', uri, type: 'quads' } as const;
  return withoutCredentials(request, AbortSignal.timeout(30_000)) as Promise<readonly Quad[]>;
}
