import type { Hash } from 'node:crypto';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { mappedBytes } from '../mapped-bytes.js';
import { FetchFailure } from './fetch-failure.js';

/** What `decodedBody` understands (RFC 9110, section 8.4.1) and servers are asked for. */
export const ACCEPT_ENCODING = 'gzip, br';

const DECODERS: Record<string, () => Transform> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/**
 * The bytes of a body, decompressed as they come. Both sides of the decompression are counted: a bomb is small
 * on the wire, and an endless gzip header never yields a byte.
 *
 * @throws FetchFailure `too-large` or `truncated`; and the errors of the stream and of the decompression
 */
export function decodedBody(
  raw: Readable,
  encoding: string | null,
  maxBytes: number,
): AsyncIterable<Uint8Array> {
  const decoder = decoderOf(encoding);
  const within = (source: AsyncIterable<Uint8Array>) => limited(source, maxBytes);
  // Errors need no callback: they come out of the last stream, which is the one being read.
  return within(decoder ? pipeline(raw, within, decoder, () => undefined) : raw);
}

function decoderOf(encoding: string | null): Transform | undefined {
  const name = (encoding ?? '').trim().toLowerCase();
  if (name === '' || name === 'identity') return undefined;
  const create = Object.hasOwn(DECODERS, name) ? DECODERS[name] : undefined;
  if (!create) {
    throw new FetchFailure('truncated', `cannot decompress the content encoding "${name.slice(0, 40)}"`);
  }
  return create();
}

async function* limited(source: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new FetchFailure('too-large', `the body is larger than ${maxBytes} bytes`);
    yield chunk;
  }
}

/** The least that is made room for when a body comes in several pieces and its length is not known, in bytes. */
const LEAST_ROOM = 65_536;
/** Bodies from so many bytes on have memory that goes back to the system. */
const MAPPED = 500_000;

/**
 * All bytes of a body that is read within bounds, in a buffer that is shared with nothing else. Where the headers say how
 * long it is, there is room for that from the beginning, so that it is not copied once more.
 */
export async function wholeBody(
  body: AsyncIterable<Uint8Array>,
  headers: Headers,
): Promise<Uint8Array<ArrayBuffer>> {
  const announced = headers.has('content-encoding') ? 0 : Number(headers.get('content-length'));
  let bytes = new Uint8Array(0);
  let length = 0;
  for await (const chunk of body) {
    const least = length + chunk.length;
    if (least > bytes.length) {
      const room = length === 0 ? roomFor(chunk, announced) : Math.max(2 * bytes.length, least, LEAST_ROOM);
      const larger = room < MAPPED ? new Uint8Array(room) : mappedBytes(room);
      larger.set(bytes.subarray(0, length));
      bytes = larger;
    }
    bytes.set(chunk, length);
    length = least;
  }
  return bytes.subarray(0, length);
}

/** Most bodies come in one piece: more room is made only once there is a second one. */
function roomFor(first: Uint8Array, announced: number): number {
  return announced >= first.length ? announced : first.length;
}

/** The same body; its bytes are added to a hash as they come, because a long body in one go would keep other work waiting. */
export async function* hashed(body: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    hash.update(chunk);
    yield chunk;
  }
}
