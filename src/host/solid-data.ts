import { appendData } from './append-data.js';
import type { DataRequest, DataType } from './data-events.js';
import { askForSuccess, bytesOf, type Fetch, mediaTypeOf, pageFetch, parseJson, textOf } from './fetching.js';
import { documentOf } from './graph-shapes.js';
import { HostError } from './host-error.js';
import type { Quad } from './quad.js';
import { ACCEPT_RDF, parseRdf } from './rdf.js';
import type { DataHandler } from './serve-data.js';
import { type Exchange, KnownVersions, MAX_BYTES, writeData } from './write-data.js';

export interface SolidDataOptions {
  /** The fetch of the session that may read and write; the page's own when absent. */
  readonly fetch?: Fetch;
}

/** For one request, in ms. */
const TIMEOUT_MS = 20_000;

/**
 * Serves data from Solid pods, and from whatever speaks HTTP alike: GET by type and media type, PUT, and for
 * appending an N3 Patch, or a read-append-write that starts again when somebody else was faster.
 *
 * Nothing is overwritten unseen: a write is refused (`conflict`) when the resource has changed since it was read
 * here, as far as the server gives entity tags to tell.
 */
export function solidData({ fetch = pageFetch }: SolidDataOptions = {}): DataHandler {
  const versions = new KnownVersions();
  const actions = { read: readData, write: writeData, append: appendData };
  return (asked: DataRequest, signal: AbortSignal) =>
    actions[asked.action](asked, { request: { fetch, timeoutMs: TIMEOUT_MS, signal }, versions });
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

const ACCEPT: Readonly<Record<DataType, string>> = {
  quads: ACCEPT_RDF,
  text: 'text/*, */*;q=0.5',
  json: 'application/json, application/ld+json;q=0.9, */*;q=0.1',
  blob: '*/*',
  uint8array: '*/*',
};

/** Reads a resource as the type that was asked for. @throws HostError */
async function readData(request: DataRequest, exchange: Exchange): Promise<unknown> {
  const { uri, type, mime } = request;
  // What a component is about to edit must not come from a cache.
  const answer = await askForSuccess(uri, {
    ...exchange.request,
    headers: { accept: mime ?? ACCEPT[type] },
    cache: 'no-cache',
  });
  const data = await dataIn(answer, { uri, type });
  exchange.versions.keep(uri, answer);
  exchange.versions.keepType(request, answer);
  return data;
}

async function dataIn(answer: Response, { uri, type }: Pick<DataRequest, 'uri' | 'type'>): Promise<unknown> {
  if (type === 'uint8array') return bytesOf(answer, MAX_BYTES);
  if (type === 'blob')
    return new Blob([await bytesOf(answer, MAX_BYTES)], { type: answer.headers.get('content-type') ?? '' });
  const text = await textOf(answer, MAX_BYTES);
  if (type === 'json') return parseJson(text, uri);
  return type === 'quads' ? parseRdf(text, mediaTypeOf(answer), documentOf(uri)) : text;
}
