import { Readable } from 'node:stream';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { decodedBody } from '../../../src/lib/fetch/body-stream.js';

const TEXT = Buffer.from('<#a> <#b> "c" .\n'.repeat(1000));

async function read(
  raw: Uint8Array | Readable,
  encoding: string | null,
  maxBytes = 1_000_000,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  const stream = raw instanceof Readable ? raw : Readable.from([raw.subarray(0, 10), raw.subarray(10)]);
  for await (const chunk of decodedBody(stream, encoding, maxBytes)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe('decodedBody', () => {
  it.each([
    [null, TEXT],
    ['identity', TEXT],
    ['gzip', gzipSync(TEXT)],
    [' X-GZIP', gzipSync(TEXT)],
    ['deflate', deflateSync(TEXT)],
    ['br', brotliCompressSync(TEXT)],
  ])('reads %s', async (encoding, raw) => {
    expect(await read(raw, encoding)).toEqual(TEXT);
  });

  it.each([
    ['gzip', gzipSync(TEXT)],
    ['deflate', deflateSync(TEXT)],
    ['br', brotliCompressSync(TEXT)],
  ])('fails on %s that is cut anywhere', async (encoding, raw) => {
    for (const length of [0, 1, 12, Math.floor(raw.length / 2), raw.length - 1]) {
      await expect(read(raw.subarray(0, length), encoding), `cut at ${length}`).rejects.toThrow();
    }
  });

  it.each(['zstd', 'compress', 'gzip, gzip', 'constructor'])('does not guess at %s', async (encoding) => {
    await expect(read(TEXT, encoding)).rejects.toMatchObject({ reason: 'truncated' });
  });

  it('lets a body through that is as long as it may be, and none that is longer', async () => {
    expect(await read(TEXT, null, TEXT.length)).toHaveLength(TEXT.length);
    await expect(read(TEXT, null, TEXT.length - 1)).rejects.toMatchObject({ reason: 'too-large' });
  });

  it('stops a bomb long before it has gone off', async () => {
    let sent = 0;
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    const pieces = function* () {
      for (let at = 0; at < bomb.length; at += 100) {
        sent = at;
        yield bomb.subarray(at, at + 100);
      }
    };
    await expect(read(Readable.from(pieces()), 'gzip')).rejects.toMatchObject({ reason: 'too-large' });
    expect(sent).toBeLessThan(bomb.length / 2);
  });

  it('stops a stream that never yields a byte', async () => {
    const header = Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3]);
    const endlessName = function* () {
      yield header;
      for (;;) yield Buffer.alloc(10_000, 'a');
    };
    const raw = Readable.from(endlessName());
    await expect(read(raw, 'gzip')).rejects.toMatchObject({ reason: 'too-large' });
    expect(raw.destroyed).toBe(true);
  });
});
