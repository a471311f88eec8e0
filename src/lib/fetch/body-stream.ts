import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
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
  const within = (source: AsyncIterable<Uint8Array>) => limited(source, maxBytes, tooLarge);
  // Errors need no callback: they come out of the last stream, which is the one being read.
  return within(decoder ? pipeline(raw, within, decoder, () => undefined) : raw);
}

/** The failure for a body that is longer than its reader wants. */
export function tooLarge(maxBytes: number): FetchFailure {
  return new FetchFailure('too-large', `the body is larger than ${maxBytes} bytes`);
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

/** The pieces of a body, up to so many bytes. @throws what `tooLarge` makes, for a body that has more */
export async function* limited(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes: number,
  tooLarge: (maxBytes: number) => Error,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const piece of source) {
    bytes += piece.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    yield piece;
  }
}

/** All bytes of a body that is read within bounds. */
export async function wholeBody(body: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  const { buffer, byteOffset, length } = Buffer.concat(pieces);
  return new Uint8Array(buffer, byteOffset, length);
}
