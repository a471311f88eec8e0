import { isUtf8 } from 'node:buffer';
import { parse } from 'content-type';
import { type JsonBounds, refuseExcess } from '../../bounded-json.js';
import { explain } from '../../faults.js';
import { limited, wholeBody } from '../../fetch/body-stream.js';
import { parseJsonBody } from '../../json.js';
import { Problem } from '../problem.js';

/** A body whose text is not decoded: a text takes memory that is freed much later than that of bytes. */
export interface EncodedBody {
  /** Lower case, without parameters. */
  readonly mediaType: string;
  /** Valid UTF-8. */
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
 * Reads the body of a request, without decoding it.
 * @throws Problem 413 when it is larger than the limit, announced or not; 415 for other types, compressed
 * bodies and other charsets than UTF-8; 400 for bytes that are no UTF-8 and for bodies cut short.
 */
export async function readEncodedBody(request: Request, bounds: BodyBounds): Promise<EncodedBody> {
  const { headers } = request;
  const mediaType = acceptedType((name) => headers.get(name) ?? undefined, bounds.accepted);
  return { mediaType, text: checked(await readBytes(request, bounds.limit)) };
}

/** @throws Problem like `readEncodedBody` */
export async function readTextBody(request: Request, bounds: BodyBounds) {
  const { mediaType, text } = await readEncodedBody(request, bounds);
  return { mediaType, text: utf8.decode(text) };
}

/** How many bytes the body of a request has, where the request says that. */
export function announcedBytes({ headers }: Request): number | undefined {
  const announced = headers.get('content-length');
  return announced === null || headers.has('transfer-encoding') ? undefined : Number(announced);
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
  acceptedType(header, JSON_ALONE);
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
function acceptedType(header: (name: string) => string | undefined, accepted: readonly string[]): string {
  const said = header('content-type');
  const { type, parameters } = parse(said ?? '');
  if (!accepted.includes(type)) {
    const what = said === undefined ? 'no Content-Type' : `the Content-Type ${JSON.stringify(said)}`;
    const accept = accepted.join(', ');
    throw new Problem(415, `The request has ${what}; send ${accept}`, { headers: { accept } });
  }
  if (!/^(identity)?$/i.test(header('content-encoding')?.trim() ?? '')) {
    const why = 'The body is compressed; send it as it is, without Content-Encoding';
    throw new Problem(415, why, { headers: { 'accept-encoding': 'identity' } });
  }
  const { charset = 'utf-8' } = parameters;
  if (!/^utf-?8$/i.test(charset)) throw new Problem(415, `The charset is ${charset}; send utf-8`);
  return type;
}

function checked(bytes: Uint8Array): Uint8Array {
  if (!isUtf8(bytes)) throw new Problem(400, 'The body is not valid utf-8 text');
  return bytes;
}

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
  const why = `The body is larger than the ${limit} bytes that this node takes; send it in parts`;
  return new Problem(413, why);
}
