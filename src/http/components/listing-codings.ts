import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createBrotliCompress } from 'node:zlib';
import { GzipPieces } from '../../lib/gzip-pieces.js';
import type { Coding } from '../../lib/http/headers/content-coding.js';
import type { Pace } from '../../lib/pace.js';

/** Bytes of one compressed form; a listing that is larger even then is sent as it is. */
const MAX_BYTES = 64_000_000;
/** Half as many bytes as without it, at a speed that a spare core keeps up with. */
const BROTLI_QUALITY = 5;

interface Ready {
  readonly state: object;
  readonly pieces: readonly Uint8Array[];
}

/**
 * Compressed forms of the whole listing, one per coding. They are made beside the requests, when somebody would
 * like to have them, and not before: until then, and after each change, clients get what there is.
 */
export class ListingCodings {
  readonly #gzip: GzipPieces;
  readonly #ready = new Map<Coding, Ready>();
  #making: { state: object; stop: AbortController } | undefined;

  constructor(pace: Pace) {
    this.#gzip = new GzipPieces(pace);
  }

  /** Bytes that the compressed forms take. */
  get bytes(): number {
    return [...this.#ready.values()]
      .flatMap(({ pieces }) => pieces)
      .reduce((sum, { length }) => sum + length, 0);
  }

  /** The listing of that state in that form, if it has been made. */
  get(coding: Coding, state: object): readonly Uint8Array[] | undefined {
    const ready = this.#ready.get(coding);
    return ready?.state === state ? ready.pieces : undefined;
  }

  /**
   * Makes the forms that there are not yet, one after another; what is being made of an older state is given
   * up. Resolves when nothing is left to do, and never rejects: a form that cannot be made is done without.
   */
  async make(codings: readonly Coding[], state: object, pieces: readonly Uint8Array[]): Promise<void> {
    if (this.#making?.state === state) return;
    this.#making?.stop.abort();
    const stop = new AbortController();
    this.#making = { state, stop };
    for (const coding of codings) {
      if (this.get(coding, state)) continue;
      // Whatever goes wrong goes wrong in the library or for want of memory: the plain form is always there.
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
