import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createBrotliCompress } from 'node:zlib';
import type { ReadyJson } from '../../catalog/catalog.js';
import type { Coding } from '../../lib/http/headers/content-coding.js';
import type { Pace } from '../../lib/pace.js';
import { GzipPieces } from './gzip-pieces.js';

/** Largest compressed copy, in bytes; a listing whose copy would be larger is sent uncompressed. */
const MAX_BYTES = 64_000_000;
/** Of the levels from 0 to 11, one that compresses a listing well and that a single idle core keeps up with. */
const BROTLI_QUALITY = 5;

/** The listing, piece by piece: it may be larger than memory. */
type ListingBytes = Pick<ReadyJson, 'bytes' | 'pieces'>;

/** What became of the attempt to compress the listing in one state. */
interface Copy {
  readonly state: object;
  /** Undefined when the copy would be too large, or could not be made. */
  readonly pieces: readonly Uint8Array[] | undefined;
}

/**
 * Compressed copies of the whole listing, one per coding. A copy is made in the background when a client first asks
 * for it. Until it is ready, and again after each change, clients get the listing uncompressed.
 */
export class ListingCodings {
  readonly #gzip: GzipPieces;
  readonly #maxBytes: number;
  readonly #tried = new Map<Coding, Copy>();
  #making: { state: object; stop: AbortController } | undefined;

  constructor(pace: Pace, maxBytes = MAX_BYTES) {
    this.#gzip = new GzipPieces(pace);
    this.#maxBytes = maxBytes;
  }

  /** Bytes of the copies in memory. */
  get bytes(): number {
    return [...this.#tried.values()]
      .flatMap(({ pieces = [] }) => pieces)
      .reduce((sum, { length }) => sum + length, 0);
  }

  /** The copy of the listing in that state, if it is ready. */
  get(coding: Coding, state: object): readonly Uint8Array[] | undefined {
    return this.#isTried(coding, state) ? this.#tried.get(coding)?.pieces : undefined;
  }

  /**
   * Makes the copies that have not been tried yet, one after another, and stops making copies of an older state. Resolves
   * when that is done. Never rejects: without a copy, the listing is sent uncompressed.
   */
  async make(codings: readonly Coding[], state: object, json: ListingBytes): Promise<void> {
    const missing = codings.filter((coding) => !this.#isTried(coding, state));
    if (missing.length === 0 || this.#making?.state === state) return;
    this.#making?.stop.abort();
    const stop = new AbortController();
    this.#making = { state, stop };
    for (const coding of missing) {
      // Compressing fails only inside zlib or for lack of memory, and the uncompressed listing is always there.
      const made = await this.#compress(coding, json, stop.signal).catch(() => undefined);
      if (stop.signal.aborted) return;
      this.#tried.set(coding, { state, pieces: made });
    }
    this.#making = undefined;
  }

  #isTried(coding: Coding, state: object): boolean {
    return this.#tried.get(coding)?.state === state;
  }

  #compress(coding: Coding, json: ListingBytes, signal: AbortSignal) {
    return coding === 'gzip'
      ? this.#gzip.compress(json.pieces(), this.#maxBytes, signal)
      : brotli(json, this.#maxBytes, signal);
  }
}

/** Resolves with `undefined` when the result would be larger than `maxBytes`. */
async function brotli(
  json: ListingBytes,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array[] | undefined> {
  const result: Uint8Array[] = [];
  let bytes = 0;
  const compress = createBrotliCompress({
    params: {
      [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: json.bytes,
    },
  });
  await pipeline(
    Readable.from(json.pieces(), { objectMode: false }),
    compress,
    async (parts: AsyncIterable<Uint8Array>) => {
      for await (const part of parts) {
        bytes += part.length;
        // Leaving the loop ends the compression.
        if (bytes > maxBytes) return;
        result.push(part);
      }
    },
    { signal },
  );
  return bytes <= maxBytes ? result : undefined;
}
