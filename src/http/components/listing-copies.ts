import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createBrotliCompress, createGzip } from 'node:zlib';
import type { Page, ReadyJson } from '../../catalog/catalog.js';
import type { Coding } from '../../lib/http/headers/content-coding.js';
import { PerRevision } from '../per-revision.js';
import { readyPieces } from '../representation.js';

/** Bytes of all copies; a listing whose copy would be larger is sent uncompressed. */
const MAX_BYTES = 64_000_000;
/** Of the levels from 0 to 11, one that compresses a listing well and that a single idle core keeps up with. */
const BROTLI_QUALITY = 5;

/** Undefined when it would be too large, or could not be made. */
type Copy = readonly Uint8Array[] | undefined;

/**
 * Compressed copies of the whole listing: compressing one takes a second of a core for 50 MB, so it is not done for each
 * reader. A copy is made beside the requests when a client first asks for it. Until then, and again after each change, clients
 * get the listing uncompressed.
 */
export class ListingCopies {
  readonly #copies = new PerRevision<Copy>(MAX_BYTES, (copy) => bytesOf(copy ?? []));
  #isMaking = false;

  /** Bytes of the copies in memory. */
  get bytes(): number {
    return this.#copies.weight;
  }

  /** The copy in that state, if it is ready. */
  get(coding: Coding, state: object): Copy {
    return this.#copies.peek(state, coding);
  }

  /** Makes copies, one after another, unless others are being made: who asks later begins anew. */
  async make(codings: readonly Coding[], { state: { revision } }: Page, json: ReadyJson): Promise<void> {
    if (this.#isMaking) return;
    this.#isMaking = true;
    for (const coding of codings) {
      // Compressing fails only inside zlib or for lack of memory, and the uncompressed listing is always there.
      const make = () => compressed(coding, json).catch(() => undefined);
      await this.#copies.get(revision, coding, make);
    }
    this.#isMaking = false;
  }
}

function bytesOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}

async function compressed(coding: Coding, json: ReadyJson): Promise<Copy> {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: json.bytes,
  };
  const copy: Uint8Array[] = [];
  let bytes = 0;
  await pipeline(
    Readable.from(readyPieces(json), { objectMode: false }),
    coding === 'gzip' ? createGzip() : createBrotliCompress({ params }),
    async (pieces: AsyncIterable<Uint8Array>) => {
      for await (const piece of pieces) {
        bytes += piece.length;
        // Leaving the loop ends the compression.
        if (bytes > MAX_BYTES) return;
        copy.push(piece);
      }
    },
  );
  return bytes > MAX_BYTES ? undefined : copy;
}
