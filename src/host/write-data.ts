import type { DataRequest, DataType } from './data-events.js';
import { ask, type Fetch, giveUp, mediaTypeOf, unsuccessful } from './fetching.js';
import { documentOf } from './graph-shapes.js';
import { HostError } from './host-error.js';
import type { Quad } from './quad.js';
import { isTurtle, toTriples } from './rdf.js';

/** Bytes that a resource may have. */
export const MAX_BYTES = 50_000_000;

/** What reading, writing and appending need. */
export interface Exchange {
  /** What all requests have in common. */
  readonly request: { readonly fetch: Fetch; readonly timeoutMs: number; readonly signal: AbortSignal };
  readonly versions: KnownVersions;
}

/**
 * The entity tags of what components have read, so that a write is refused when somebody else has changed the
 * resource since. Tags that only match weakly guard nothing and are not kept.
 */
export class KnownVersions {
  readonly #tags = new Map<string, string>();
  /** The media types of what was read, by how it was read and the URL. */
  readonly #types = new Map<string, string>();

  keep(uri: string, answer: Response): void {
    const tag = strongTag(answer);
    if (tag) this.#tags.set(documentOf(uri), tag);
    else this.forget(uri);
  }

  keepType({ uri, type }: DataRequest, answer: Response): void {
    this.#types.set(`${type} ${documentOf(uri)}`, mediaTypeOf(answer));
  }

  typeOf({ uri, type }: DataRequest): string | undefined {
    return this.#types.get(`${type} ${documentOf(uri)}`);
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
  const type = typeToWrite(request, exchange.versions.typeOf(request));
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

/** What the request or its blob names, else how it was read. @throws HostError `request` for quads in anything but Turtle */
function typeToWrite({ uri, type, mime, data }: DataRequest, known: string | undefined): string {
  const named = mime?.includes('*') ? undefined : mime;
  if (type !== 'quads') return named ?? ((data instanceof Blob && data.type) || known || DEFAULT_TYPES[type]);
  if (named === undefined || isTurtle(named.replace(/;.*$/s, '').trim().toLowerCase()))
    return named ?? DEFAULT_TYPES.quads;
  throw new HostError('request', `${uri}: quads are written as Turtle, not as ${named}`);
}
