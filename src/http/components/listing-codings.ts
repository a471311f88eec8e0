import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createBrotliCompress } from 'node:zlib';
import { GzipPieces } from '../../lib/gzip-pieces.js';
import type { Coding } from '../../lib/http/headers/content-coding.js';
import type { Pace } from '../../lib/pace.js';

/** Largest compressed copy, in bytes; a listing whose copy would be larger is sent uncompressed. */
const MAX_BYTES = 64_000_000;
/** Of the levels from 0 to 11, one that compresses a listing well and that a single idle core keeps up with. */
const BROTLI_QUALITY = 5;

/** A compressed copy of the listing in one state. */
interface Copy {
  readonly state: object;
  readonly pieces: readonly Uint8Array[];
}

/**
 * Compressed copies of the whole listing, one per coding. A copy is made in the background when a client first asks
 * for it. Until it is ready, and again after each change, clients get the listing uncompressed.
 */
export class ListingCodings {
  readonly #gzip: GzipPieces;
  readonly #ready = new Map<Coding, Copy>();
  #making: { state: object; stop: AbortController } | undefined;

  constructor(pace: Pace) {
    this.#gzip = new GzipPieces(pace);
  }

  /** Bytes of the copies in memory. */
  get bytes(): number {
    return [...this.#ready.values()]
      .flatMap(({ pieces }) => pieces)
      .reduce((sum, { length }) => sum + length, 0);
  }

  /** The copy of the listing in that state, if it is ready. */
  get(coding: Coding, state: object): readonly Uint8Array[] | undefined {
    const ready = this.#ready.get(coding);
    return ready?.state === state ? ready.pieces : undefined;
  }

  /**
   * Makes the copies that do not exist yet, one after another, and stops making copies of an older state. Resolves
   * when that is done. Never rejects: without a copy, the listing is sent uncompressed.
   */
  async make(codings: readonly Coding[], state: object, pieces: readonly Uint8Array[]): Promise<void> {
    if (this.#making?.state === state) return;
    this.#making?.stop.abort();
    const stop = new AbortController();
    this.#making = { state, stop };
    for (const coding of codings) {
      if (this.get(coding, state)) continue;
      // Compressing fails only inside zlib or for lack of memory, and the uncompressed listing is always there.
      const made = await this.#compress(coding, pieces, stop.signal).catch(() => undefined);
      if (stop.signal.aborted) return;
      if (made) this.#ready.set(coding, { state, pieces: made });
      else this.#ready.delete(coding);
    }
    this.#making = undefined;
  }

  #compress(coding: Coding, pieces: readonly Uint8Array[], signal: AbortSignal) {
    return coding === 'gzip' ? this.#gzip.compress(pieces, MAX_BYTES, signal) : brotli(pieces, signal);
  }
}

async function brotli(pieces: readonly Uint8Array[], signal: AbortSignal): Promise<Uint8Array[] | undefined> {
  const result: Uint8Array[] = [];
  let bytes = 0;
  const size = pieces.reduce((sum, { length }) => sum + length, 0);
  const compress = createBrotliCompress({
    params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: size },
  });
  await pipeline(
    Readable.from(pieces, { objectMode: false }),
    compress,
    async (parts: AsyncIterable<Uint8Array>) => {
      for await (const part of parts) {
        bytes += part.length;
        if (bytes <= MAX_BYTES) result.push(part);
      }
    },
    { signal },
  );
  return bytes <= MAX_BYTES ? result : undefined;
}
