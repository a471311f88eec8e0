import type { DataRequest, DataType } from './data-events.js';
import type { Exchange } from './exchange.js';
import { ask, giveUp, mediaTypeOf, unsuccessful } from './fetching.js';
import { HostError } from './host-error.js';
import type { Quad } from './quad.js';
import { isRdf, isTurtle, toTriples } from './rdf.js';

export type Body = string | Blob | Uint8Array<ArrayBuffer>;

/** Replaces a resource with PUT, and makes it when it is not there. @throws HostError, `conflict` when it has changed since it was read */
export async function writeData(request: DataRequest, exchange: Exchange): Promise<unknown> {
  const { uri } = request;
  const body = bodyOf(request);
  const type = await typeToWrite(request, exchange);
  await put(uri, body, type, exchange.versions.condition(uri), exchange);
  return request.data;
}

/** Sends a whole resource. @throws HostError `conflict` when the condition does not hold (RFC 9110, section 15.5.13) */
export async function put(
  uri: string,
  body: Body,
  contentType: string,
  condition: Readonly<Record<string, string>>,
  exchange: Exchange,
): Promise<void> {
  const headers = { 'content-type': contentType, ...condition };
  const answer = await ask(uri, { ...exchange.request, method: 'PUT', headers, body });
  await giveUp(answer);
  if (answer.status === 412) {
    throw new HostError('conflict', `${uri} has been changed by somebody else since it was read`, {
      status: 412,
    });
  }
  if (!answer.ok) throw unsuccessful('PUT', uri, answer.status);
  if (answer.headers.has('etag')) exchange.versions.keep(uri, answer);
  else await learnVersion(uri, exchange);
}

/** Some servers do not say what the new version is: without it, the next write could not be guarded. */
async function learnVersion(uri: string, exchange: Exchange): Promise<void> {
  exchange.versions.forget(uri);
  const answer = await ask(uri, { ...exchange.request, method: 'HEAD', cache: 'no-store' });
  if (answer.ok) exchange.versions.keep(uri, answer);
}

export function bodyOf({ type, data }: DataRequest): Body {
  if (type === 'quads') return toTriples(data as readonly Quad[]);
  if (type === 'json') return JSON.stringify(data);
  return data as Body;
}

const TYPES: Readonly<Record<DataType, { fallback: string; keeps: (type: string) => boolean }>> = {
  quads: { fallback: 'text/turtle', keeps: () => false },
  text: {
    fallback: 'text/plain',
    keeps: (type) => /^text\/|[/+](json|xml|n-triples|trig|javascript)$/.test(type) || isRdf(type),
  },
  json: { fallback: 'application/json', keeps: (type) => /[/+]json$/.test(type) },
  blob: { fallback: 'application/octet-stream', keeps: () => true },
  uint8array: { fallback: 'application/octet-stream', keeps: () => true },
};

/** The type that the request or its blob names, else the one that the resource has, if it can hold such data. */
async function typeToWrite({ uri, type, mime, data }: DataRequest, exchange: Exchange): Promise<string> {
  if (mime !== undefined && !mime.includes('*')) {
    if (type !== 'quads' || isTurtle(mime.replace(/;.*$/s, '').trim().toLowerCase())) return mime;
    throw new HostError('request', `${uri}: quads are written as Turtle, not as ${mime}`);
  }
  if (data instanceof Blob && data.type !== '') return data.type;
  const { fallback, keeps } = TYPES[type];
  if (type === 'quads') return fallback;
  const answer = await ask(uri, { ...exchange.request, method: 'HEAD', cache: 'no-store' });
  const present = answer.ok ? mediaTypeOf(answer) : '';
  return present !== '' && keeps(present) ? present : fallback;
}
