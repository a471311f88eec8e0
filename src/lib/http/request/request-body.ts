import { isUtf8 } from 'node:buffer';
import { parse } from 'content-type';
import { type JsonBounds, refuseExcess } from '../../bounded-json.js';
import { explain } from '../../faults.js';
import { limited, wholeBody } from '../../fetch/body-stream.js';
import { parseJsonBody } from '../../json.js';
import { Problem } from '../problem.js';
import type { RouteRequest } from './route-request.js';

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

/**
 * Reads the body of a request, without decoding it.
 * @throws Problem 413 when it is larger than the limit, announced or not; 415 for other types, compressed
 * bodies and other charsets than UTF-8; 400 for bytes that are no UTF-8 and for bodies cut short.
 */
export async function readEncodedBody(req: RouteRequest, bounds: BodyBounds): Promise<EncodedBody> {
  const mediaType = acceptedType(req, bounds.accepted);
  const text = await readBytes(req, bounds.limit);
  if (!isUtf8(text)) throw new Problem(400, 'The body is not valid utf-8 text');
  return { mediaType, text };
}

/** @throws Problem like `readEncodedBody` */
export async function readTextBody(req: RouteRequest, bounds: BodyBounds) {
  const { mediaType, text } = await readEncodedBody(req, bounds);
  return { mediaType, text: utf8.decode(text) };
}

/** How many bytes the body of a request has, where the request says that. */
export function announcedBytes({ headers }: Request): number | undefined {
  const announced = headers.get('content-length');
  return announced === null || headers.has('transfer-encoding') ? undefined : Number(announced);
}

/** The fields of a form, as pages without scripts send it. @throws Problem like `readTextBody` */
export async function readFormFields(req: RouteRequest, limit: number): Promise<URLSearchParams> {
  const accepted = ['application/x-www-form-urlencoded'];
  return new URLSearchParams((await readTextBody(req, { accepted, limit })).text);
}

/**
 * Reads a JSON body. `most`: what a body may have whose fields are known; far more when absent.
 * @throws Problem like `readTextBody` and `refuseExcessiveJson`, and MalformedInput that names the place of a syntax error
 */
export async function readJsonBody(req: RouteRequest, limit: number, most?: JsonBounds): Promise<unknown> {
  const { text } = await readTextBody(req, { accepted: ['application/json'], limit });
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
function acceptedType(req: RouteRequest, accepted: readonly string[]): string {
  const said = req.header('content-type');
  const { type, parameters } = parse(said ?? '');
  if (!accepted.includes(type)) {
    const what = said === undefined ? 'no Content-Type' : `the Content-Type ${JSON.stringify(said)}`;
    const accept = accepted.join(', ');
    throw new Problem(415, `The request has ${what}; send ${accept}`, { headers: { accept } });
  }
  if (!/^(identity)?$/i.test(req.header('content-encoding')?.trim() ?? '')) {
    const why = 'The body is compressed; send it as it is, without Content-Encoding';
    throw new Problem(415, why, { headers: { 'accept-encoding': 'identity' } });
  }
  const { charset = 'utf-8' } = parameters;
  if (!/^utf-?8$/i.test(charset)) throw new Problem(415, `The charset is ${charset}; send utf-8`);
  return type;
}

async function readBytes(req: RouteRequest, limit: number): Promise<Uint8Array> {
  if (req.bodyAtHand && req.bodyAtHand.length > limit) throw tooLarge(limit);
  if (req.bodyAtHand) return req.bodyAtHand;
  // Only now: where the body is at hand, the request is not made into one of the Fetch standard.
  const { raw } = req;
  const announced = announcedBytes(raw);
  if (announced !== undefined && announced > limit) throw tooLarge(limit);
  try {
    // A body with Content-Length cannot be longer than announced.
    if (announced !== undefined) return new Uint8Array(await raw.arrayBuffer());
    return await wholeBody(limited(raw.body ?? [], limit, tooLarge));
  } catch (cause) {
    if (cause instanceof Problem) throw cause;
    throw new Problem(400, 'The body ended before it was complete', { cause });
  }
}

function tooLarge(limit: number): Problem {
  const why = `The body is larger than the ${limit} bytes that this node takes; send it in parts`;
  return new Problem(413, why);
}
