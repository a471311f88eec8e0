import { isUtf8 } from 'node:buffer';
import { type JsonBounds, refuseExcess } from '../../bounded-json.js';
import { explain } from '../../faults.js';
import { limited, wholeBody } from '../../fetch/body-stream.js';
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

const utf8 = new TextDecoder();
const JSON_ALONE = ['application/json'];

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
  return { mediaType, text: checked(await readBytes(request, limit)) };
}

/** Reads the body of a request as text. @throws Problem like `readEncodedBody` */
export async function readTextBody(request: Request, { accepted, limit }: BodyBounds) {
  const mediaType = readContentType(headerOf(request), accepted);
  return { mediaType, text: utf8.decode(checked(await readBytes(request, limit))) };
}

const headerOf = (request: Request) => (name: string) => request.headers.get(name) ?? undefined;

/** How many bytes the body of a request has, where the request says that. */
export function announcedBytes({ headers }: Request): number | undefined {
  const announced = headers.get('content-length');
  return announced === null || headers.has('transfer-encoding') ? undefined : Number(announced);
}

function checked(bytes: Uint8Array): Uint8Array {
  if (!isUtf8(bytes)) throw new Problem(400, 'The body is not valid utf-8 text');
  return bytes;
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
  if (bytes.length > limit) throw tooLarge(limit);
  return parseJson(utf8.decode(checked(bytes)), most);
}

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
  const unsupported = (why: string, headers: Record<string, string> = {}) =>
    new Problem(415, why, { headers });
  if (!type || !accepted.includes(type.type)) {
    const said = header === undefined ? 'no Content-Type' : `the Content-Type ${JSON.stringify(header)}`;
    const accept = accepted.join(', ');
    throw unsupported(`The request has ${said}; send ${accept}`, { accept });
  }
  const encoding = read('content-encoding')?.trim().toLowerCase() || 'identity';
  if (encoding !== 'identity') {
    const why = 'The body is compressed; send it as it is, without Content-Encoding';
    throw unsupported(why, { 'accept-encoding': 'identity' });
  }
  const { charset = 'utf-8' } = type.parameters;
  if (!/^utf-?8$/i.test(charset)) throw unsupported(`The charset is ${charset}; send utf-8`);
  return type.type;
}

/** The body in a buffer of its own. */
async function readBytes(request: Request, limit: number): Promise<Uint8Array> {
  const announced = announcedBytes(request);
  if (announced !== undefined && announced > limit) throw tooLarge(limit);
  try {
    // A body with Content-Length cannot be longer than announced.
    if (announced !== undefined) return new Uint8Array(await request.arrayBuffer());
    return await wholeBody(limited(request.body ?? [], limit, tooLarge));
  } catch (cause) {
    if (cause instanceof Problem) throw cause;
    throw new Problem(400, 'The body ended before it was complete', { cause });
  }
}

function tooLarge(limit: number): Problem {
  return new Problem(
    413,
    `The body is larger than the ${limit} bytes that this node takes; send it in parts`,
  );
}
