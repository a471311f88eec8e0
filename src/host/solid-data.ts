import { appendData } from './append-data.js';
import type { DataRequest } from './data-events.js';
import { KnownVersions } from './exchange.js';
import { type Fetch, pageFetch } from './fetching.js';
import { HostError } from './host-error.js';
import { type LoadContext, loadContextFromWeb } from './json-ld-context.js';
import type { Quad } from './quad.js';
import { readData } from './read-data.js';
import type { DataHandler } from './serve-data.js';
import { writeData } from './write-data.js';

export interface SolidDataOptions {
  /** The fetch of the session that may read and write; the page's own when absent. */
  readonly fetch?: Fetch;
  /** Bytes that a resource may have; 50,000,000 when absent. */
  readonly maxBytes?: number;
  /** For one request; 20,000 when absent. */
  readonly timeoutMs?: number;
  /** Loads the contexts that JSON-LD names by URL. The page's fetch without credentials when absent. */
  readonly loadContext?: LoadContext;
}

/**
 * Serves data from Solid pods, and from whatever speaks HTTP alike: GET by type and media type, PUT, and for
 * appending an N3 Patch, or a read-append-write that starts again when somebody else was faster.
 *
 * Nothing is overwritten unseen: a write is refused (`conflict`) when the resource has changed since it was read
 * here, as far as the server gives entity tags to tell.
 */
export function solidData(options: SolidDataOptions = {}): DataHandler {
  const { fetch = pageFetch, maxBytes = 50_000_000, timeoutMs = 20_000 } = options;
  const { loadContext = loadContextFromWeb } = options;
  const versions = new KnownVersions();
  const actions = { read: readData, write: writeData, append: appendData };
  return (asked: DataRequest, signal: AbortSignal) =>
    actions[asked.action](asked, { request: { fetch, timeoutMs, signal }, maxBytes, loadContext, versions });
}

const withoutCredentials = solidData({
  fetch: (url, init) => pageFetch(url, { ...init, credentials: 'omit', referrerPolicy: 'no-referrer' }),
});

/** Serves those for whom nobody answers: they read what everybody may read, and write nothing. */
export const publicData: DataHandler = async (request, signal) => {
  if (request.action === 'read') return withoutCredentials(request, signal);
  throw new HostError(
    'trust',
    `nothing is written to ${request.uri} for a component that nobody answers for`,
  );
};

/** Reads a document that is public, without credentials: its server need not know who reads. @throws HostError */
export function readPublic(uri: string): Promise<readonly Quad[]> {
  const request = { action: 'read', uri, type: 'quads' } as const;
  return withoutCredentials(request, AbortSignal.timeout(30_000)) as Promise<readonly Quad[]>;
}
