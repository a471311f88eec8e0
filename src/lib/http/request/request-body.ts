import { isUtf8 } from 'node:buffer';
import { type JsonBounds, refuseExcess } from '../../bounded-json.js';
import { explain } from '../../faults.js';
import { parseJsonBody } from '../../json-fault.js';
import { parseMediaType } from '../headers/media-type.js';
import { Problem } from '../problem.js';

/** A body whose text is not decoded, so that a worker thread can be given the bytes themselves. */
export interface EncodedBody {
  /** Lower case, without parameters. */
  readonly mediaType: string;
  /** Valid UTF-8, in a buffer of their own. */
  readonly text: Uint8Array;
}

interface BodyBounds {
  /** Media types without parameters. */
  readonly accepted: readonly string[];
  /** In bytes. */
  readonly limit: number;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads the body of a request, without decoding it: a text takes memory that is freed much later than that of bytes.
 * @throws Problem 413 when it is larger than the limit, announced or not; 415 for other types, compressed
 * bodies and other charsets than UTF-8; 400 for bytes that are no UTF-8 and for bodies cut short.
 */
export async function readEncodedBody(
  request: Request,
  { accepted, limit }: BodyBounds,
): Promise<EncodedBody> {
  const mediaType = readContentType(headerOf(request), accepted);
  const bytes = await readBytes(request, limit);
  if (!isUtf8(bytes)) throw notUtf8();
  return { mediaType, text: bytes.length === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes) };
}

/** Reads the body of a request as text. @throws Problem like `readEncodedBody` */
export async function readTextBody(request: Request, { accepted, limit }: BodyBounds) {
  const mediaType = readContentType(headerOf(request), accepted);
  return { mediaType, text: decoded(await readBytes(request, limit)) };
}

const headerOf = (request: Request) => (name: string) => request.headers.get(name) ?? undefined;

/** How many bytes the body of a request has, where the request says that. */
export function announcedBytes({ headers }: Request): number | undefined {
  const announced = headers.get('content-length');
  return announced === null || headers.has('transfer-encoding') ? undefined : Number(announced);
}

function decoded(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw notUtf8(cause);
  }
}

function notUtf8(cause?: unknown): Problem {
  return new Problem(400, 'The body is not valid utf-8 text', { cause });
}

/** The fields of a form, as pages without scripts send it. @throws Problem like `readTextBody` */
export async function readFormFields(request: Request, limit: number): Promise<URLSearchParams> {
  const accepted = ['application/x-www-form-urlencoded'];
  return new URLSearchParams((await readTextBody(request, { accepted, limit })).text);
}

/**
 * Reads a JSON body. `most`: what a body may have whose fields are known; far more when absent.
 * @throws Problem like `readTextBody` and `refuseExcessiveJson`, and MalformedInput that names the place of a syntax error
 */
export async function readJsonBody(request: Request, limit: number, most?: JsonBounds): Promise<unknown> {
  const { text } = await readTextBody(request, { accepted: JSON_ALONE, limit });
  return parseJson(text, most);
}

/** Parses a JSON body that has been read already. @throws Problem like `readJsonBody` */
export function jsonBodyAtHand(
  bytes: Uint8Array,
  header: (name: string) => string | undefined,
  limit: number,
  most?: JsonBounds,
): unknown {
  readContentType(header, JSON_ALONE);
  return parseJson(decoded(within(limit, bytes)), most);
}

const JSON_ALONE = ['application/json'];

/** @throws MalformedInput saying what is wrong with the text, and where; Problem like `refuseExcessiveJson` */
export function parseJson(text: string, most?: JsonBounds): unknown {
  refuseExcessiveJson(text, most);
  return parseJsonBody(text);
}

/** @throws Problem 422 for more structure than a node takes */
export function refuseExcessiveJson(text: string | Uint8Array, most?: JsonBounds): void {
  try {
    refuseExcess(text, most);
  } catch (cause) {
    throw new Problem(422, explain(cause), { cause });
  }
}

/** The media type of a body that is accepted. @throws Problem 415 for all others */
function readContentType(read: (name: string) => string | undefined, accepted: readonly string[]): string {
  const header = read('content-type');
  const type = header === undefined ? undefined : parseMediaType(header);
  if (!type || !accepted.includes(type.type)) {
    const said = header === undefined ? 'no Content-Type' : `the Content-Type ${JSON.stringify(header)}`;
    throw new Problem(415, `The request has ${said}; send ${accepted.join(', ')}`, {
      headers: { accept: accepted.join(', ') },
    });
  }
  const encoding = read('content-encoding')?.trim().toLowerCase();
  if (encoding && encoding !== 'identity') {
    throw new Problem(415, 'The body is compressed; send it as it is, without Content-Encoding', {
      headers: { 'accept-encoding': 'identity' },
    });
  }
  const { charset = 'utf-8' } = type.parameters;
  if (!/^utf-?8$/i.test(charset)) throw new Problem(415, `The charset is ${charset}; send utf-8`);
  return type.type;
}

/** A body up to this size, in bytes, is read in one piece, which is faster. */
const SHORT = 65_536;

async function readBytes(request: Request, limit: number): Promise<Uint8Array> {
  const announced = announcedBytes(request);
  if (announced !== undefined && announced > limit) throw tooLarge(limit);
  try {
    // A body with Content-Length cannot be longer than announced.
    if (announced !== undefined && announced <= SHORT)
      return within(limit, new Uint8Array(await request.arrayBuffer()));
    return await collect(request.body, limit, announced);
  } catch (cause) {
    if (cause instanceof Problem) throw cause;
    throw new Problem(400, 'The body ended before it was complete', { cause });
  }
}

/** Pieces are copied as they come, so that the body is not in memory twice. */
async function collect(body: Request['body'], limit: number, announced = SHORT): Promise<Uint8Array> {
  let bytes = new Uint8Array(announced);
  let size = 0;
  for await (const piece of body ?? []) {
    const end = size + piece.length;
    if (end > limit) throw tooLarge(limit);
    if (end > bytes.length) {
      const shorter = bytes;
      bytes = new Uint8Array(Math.max(2 * shorter.length, end));
      bytes.set(shorter.subarray(0, size));
    }
    bytes.set(piece, size);
    size = end;
  }
  return bytes.subarray(0, size);
}

function within(limit: number, bytes: Uint8Array): Uint8Array {
  if (bytes.length > limit) throw tooLarge(limit);
  return bytes;
}

function tooLarge(limit: number): Problem {
  return new Problem(
    413,
    `The body is larger than the ${limit} bytes that this node takes; send it in parts`,
  );
}
