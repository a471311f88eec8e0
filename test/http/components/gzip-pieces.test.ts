import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GzipPieces } from '../../../src/http/components/gzip-pieces.js';
import { systemPace } from '../../../src/lib/pace.js';

const forever = new AbortController().signal;

describe('GzipPieces', () => {
  it('makes one gzip member of any pieces, also when some were compressed before', async () => {
    const gzip = new GzipPieces(systemPace);
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.string({ maxLength: 50 }).map((text) => Buffer.from(text.repeat(100))),
    );
    const old = Buffer.from('a piece that is always there '.repeat(50));
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 6 }), async (pieces) => {
        const all = [old, ...pieces, old];
        const made = await gzip.compress(all, 1e6, forever);
        expect(gunzipSync(Buffer.concat(made ?? [])).equals(Buffer.concat(all))).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it('compresses a piece once', async () => {
    const gzip = new GzipPieces(systemPace);
    const pieces = ['one', 'two'].map((text) => Buffer.from(text));
    const [first, second] = [
      await gzip.compress(pieces, 1e6, forever),
      await gzip.compress(pieces, 1e6, forever),
    ];
    expect(first?.[1]).toBe(second?.[1]);
  });

  it('gives up what becomes too large, and what nobody wants any more', async () => {
    const gzip = new GzipPieces(systemPace);
    expect(await gzip.compress([Buffer.from('x'.repeat(1000))], 5, forever)).toBeUndefined();
    expect(await gzip.compress([Buffer.from('x')], 1e6, AbortSignal.abort())).toBeUndefined();
  });
});
