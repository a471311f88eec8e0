import type { DataRequest, DataType } from './data-events.js';
import { ask, type Fetch, giveUp, mediaTypeOf, unsuccessful } from './fetching.js';
import { documentOf } from './graph-shapes.js';
import { HostError } from './host-error.js';
import type { LoadContext } from './json-ld-context.js';
import type { Quad } from './quad.js';
import { isRdf, isTurtle, toTriples } from './rdf.js';

/** What reading, writing and appending need. */
export interface Exchange {
  /** What all requests have in common. */
  readonly request: { readonly fetch: Fetch; readonly timeoutMs: number; readonly signal: AbortSignal };
  readonly maxBytes: number;
  readonly loadContext: LoadContext;
  readonly versions: KnownVersions;
}

/**
 * The entity tags of what components have read, so that a write is refused when somebody else has changed the
 * resource since. Tags that only match weakly guard nothing and are not kept.
 */
export class KnownVersions {
  readonly #tags = new Map<string, string>();

  keep(uri: string, answer: Response): void {
    const tag = strongTag(answer);
    if (tag) this.#tags.set(documentOf(uri), tag);
    else this.forget(uri);
  }

  forget(uri: string): void {
    this.#tags.delete(documentOf(uri));
  }

  /** The header that makes a write depend on the version that was read; none when none was. */
  condition(uri: string): Record<string, string> {
    const tag = this.#tags.get(documentOf(uri));
    return tag === undefined ? {} : { 'if-match': tag };
  }
}

export function strongTag({ headers }: Response): string | undefined {
  const tag = headers.get('etag');
  return tag?.startsWith('"') ? tag : undefined;
}

export type Body = string | Blob | Uint8Array<ArrayBuffer>;

/** Replaces a resource with PUT, and makes it when it is not there. @throws HostError, `conflict` when it has changed since it was read */
export async function writeData(request: DataRequest, exchange: Exchange): Promise<unknown> {
  const body = bodyOf(request);
  const type = await typeToWrite(request, exchange);
  await put(request.uri, body, type, exchange.versions.condition(request.uri), exchange);
  return request.data;
}

/** Sends a whole resource. @throws HostError `conflict` when the condition does not hold (RFC 9110, section 15.5.13) */
export async function put(
  uri: string,
  body: Body,
  contentType: string,
  condition: Readonly<Record<string, string>>,
  { request, versions }: Exchange,
): Promise<void> {
  const headers = { 'content-type': contentType, ...condition };
  const answer = await ask(uri, { ...request, method: 'PUT', headers, body });
  await giveUp(answer);
  if (answer.status === 412) {
    const why = `${uri} has been changed by somebody else since it was read`;
    throw new HostError('conflict', why, { status: 412 });
  }
  if (!answer.ok) throw unsuccessful('PUT', uri, answer.status);
  versions.keep(uri, answer);
  if (answer.headers.has('etag')) return;
  // Some servers do not say what the new version is: without it, the next write could not be guarded.
  const now = await ask(uri, { ...request, method: 'HEAD', cache: 'no-store' });
  if (now.ok) versions.keep(uri, now);
}

export function bodyOf({ type, data }: DataRequest): Body {
  if (type === 'quads') return toTriples(data as readonly Quad[]);
  return type === 'json' ? JSON.stringify(data) : (data as Body);
}

/** In what data is written where nobody says it. */
export const DEFAULT_TYPES: Readonly<Record<DataType, string>> = {
  quads: 'text/turtle',
  text: 'text/plain',
  json: 'application/json',
  blob: 'application/octet-stream',
  uint8array: 'application/octet-stream',
};

/** The type that the request or its blob names, else the one that the resource has, if it can hold such data. */
async function typeToWrite({ uri, type, mime, data }: DataRequest, exchange: Exchange): Promise<string> {
  if (mime !== undefined && !mime.includes('*')) {
    if (type !== 'quads' || isTurtle(mime.replace(/;.*$/s, '').trim().toLowerCase())) return mime;
    throw new HostError('request', `${uri}: quads are written as Turtle, not as ${mime}`);
  }
  if (data instanceof Blob && data.type !== '') return data.type;
  if (type === 'quads') return DEFAULT_TYPES.quads;
  const answer = await ask(uri, { ...exchange.request, method: 'HEAD', cache: 'no-store' });
  const present = answer.ok ? mediaTypeOf(answer) : '';
  return present !== '' && canHold(present, type) ? present : DEFAULT_TYPES[type];
}

function canHold(mediaType: string, type: DataType): boolean {
  if (type === 'json') return /[/+]json$/.test(mediaType);
  const isText = /^text\/|[/+](json|xml|n-triples|trig|javascript)$/.test(mediaType) || isRdf(mediaType);
  return type !== 'text' || isText;
}
