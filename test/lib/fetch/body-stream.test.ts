import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { decodedBody, wholeBody } from '../../../src/lib/fetch/body-stream.js';

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

  it('reads bytes as they are', async () => {
    const bytes = randomBytes(100_000);
    expect(await read(gzipSync(bytes), 'gzip')).toEqual(bytes);
  });
});

describe('wholeBody', () => {
  const whole = (chunks: readonly Uint8Array[], headers: Record<string, string>) =>
    wholeBody(Readable.from(chunks), new Headers(headers));

  it.each<[string, Record<string, string>]>([
    ['announced', { 'content-length': '300000' }],
    ['not announced', {}],
    ['announced as shorter', { 'content-length': '10' }],
    ['announced in its compressed form', { 'content-length': '10', 'content-encoding': 'gzip' }],
  ])('is all of a body whose length is %s, in a buffer of its own', async (_how, headers) => {
    const chunks = Array.from({ length: 30 }, () => randomBytes(10_000));
    const bytes = await whole(chunks, headers);
    expect(Buffer.compare(bytes, Buffer.concat(chunks))).toBe(0);
    expect(bytes.buffer.byteLength).toBeLessThan(600_001);
    expect(chunks.some(({ buffer }) => buffer === bytes.buffer)).toBe(false);
  });

  it.each<Record<string, string>>([{ 'content-length': '1200000' }, {}])(
    'is all of a large body, with %o',
    async (headers) => {
      const chunks = Array.from({ length: 40 }, () => randomBytes(30_000));
      const bytes = await whole(chunks, headers);
      expect(Buffer.compare(bytes, Buffer.concat(chunks))).toBe(0);
      // As it is handed to a thread.
      const { buffer, byteOffset, byteLength } = structuredClone(bytes, { transfer: [bytes.buffer] });
      expect(Buffer.compare(Buffer.from(buffer, byteOffset, byteLength), Buffer.concat(chunks))).toBe(0);
      expect(bytes.buffer.byteLength).toBe(0);
    },
  );

  it('takes no room for what is announced and does not come', async () => {
    expect((await whole([], { 'content-length': '10000000' })).buffer.byteLength).toBe(0);
  });
});
