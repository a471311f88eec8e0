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

/** All bytes of a body that is read within bounds, in a buffer that is shared with nothing else. */
export async function wholeBody(body: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return new Uint8Array(Buffer.concat(chunks));
}
