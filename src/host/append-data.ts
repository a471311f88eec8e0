import type { DataRequest } from './data-events.js';
import { ask, bytesOf, giveUp, mediaTypeOf, refuse, unsuccessful } from './fetching.js';
import { HostError } from './host-error.js';
import type { Quad } from './quad.js';
import { hasBlankNodes, isTurtle, toTriples } from './rdf.js';
import { bodyOf, DEFAULT_TYPES, type Exchange, MAX_BYTES, put, strongTag } from './write-data.js';

/** How often an append starts again because somebody else wrote in between. */
const ATTEMPTS = 8;

/** Statuses of servers that know no N3 Patch, or not for this resource. */
const NO_PATCH = [400, 405, 415, 422, 501];

/** Adds to a resource, and makes it when it is not there. What was there stays, whoever else writes. @throws HostError */
export async function appendData(request: DataRequest, exchange: Exchange): Promise<unknown> {
  if (request.type === 'quads' && (await insertQuads(request, exchange))) return request.data;
  for (let attempt = 1; ; attempt++) {
    try {
      await rewrite(request, exchange);
      return request.data;
    } catch (error) {
      const lost = error instanceof HostError && error.reason === 'conflict';
      if (!lost || attempt === ATTEMPTS) throw error;
    }
  }
}

/** N3 Patch (Solid Protocol, section 5.3.1): the server inserts by itself. False when it cannot. */
async function insertQuads({ uri, data }: DataRequest, exchange: Exchange): Promise<boolean> {
  const quads = data as readonly Quad[];
  if (quads.length === 0) return true;
  // A patch may not hold them.
  if (hasBlankNodes(quads)) return false;
  const body = `@prefix solid: <http://www.w3.org/ns/solid/terms#>.
_:patch a solid:InsertDeletePatch; solid:inserts { ${toTriples(quads)} }.`;
  const headers = { 'content-type': 'text/n3' };
  const answer = await ask(uri, { ...exchange.request, method: 'PATCH', headers, body });
  await giveUp(answer);
  if (NO_PATCH.includes(answer.status)) return false;
  if (!answer.ok) throw unsuccessful('PATCH', uri, answer.status);
  // What is there now nobody here has read.
  exchange.versions.forget(uri);
  return true;
}

/** Reads, adds, and writes on the condition that nothing has changed meanwhile. */
async function rewrite(request: DataRequest, exchange: Exchange): Promise<void> {
  const { uri, type, mime } = request;
  const headers = { accept: type === 'quads' ? 'text/turtle' : '*/*' };
  const answer = await ask(uri, { ...exchange.request, headers, cache: 'no-store' });
  if (answer.status === 404) {
    await giveUp(answer);
    const body = added(new Uint8Array(), request);
    return put(uri, body, mime ?? DEFAULT_TYPES[type], { 'if-none-match': '*' }, exchange);
  }
  if (!answer.ok) return refuse(answer, unsuccessful('GET', uri, answer.status));
  const tag = strongTag(answer);
  if (tag === undefined) {
    const why = `${uri} has no strong ETag: appending might undo what others write meanwhile`;
    return refuse(answer, new HostError('conflict', why));
  }
  const present = mediaTypeOf(answer);
  if (type === 'quads' && !isTurtle(present)) {
    const why = `${uri} is ${present || 'of no type'}; quads are added to Turtle`;
    return refuse(answer, new HostError('type', why));
  }
  const body = added(await bytesOf(answer, MAX_BYTES), request);
  await put(uri, body, present || DEFAULT_TYPES[type], { 'if-match': tag }, exchange);
}

function added(before: Uint8Array<ArrayBuffer>, request: DataRequest): Blob {
  const { type, data, uri } = request;
  if (type === 'quads') return new Blob([before, `\n${toTriples(data as readonly Quad[], freshPrefix())}`]);
  if (type !== 'json') return new Blob([before, bodyOf(request)]);
  throw new HostError('type', `${uri}: JSON has no end to append to`);
}

/** A blank node that is added must not be taken for one that is there. */
function freshPrefix(): string {
  return `n${crypto.getRandomValues(new Uint32Array(2)).join('x')}x`;
}
