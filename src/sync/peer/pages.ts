import { parsedUrl } from '../../lib/can-parse-url.js';
import { addressWith, type PeerBody, type PeerFailure, type PeerReading } from './peer-request.js';

/** Short pages of one resource that are read: each costs a request, and a peer might send them without an end. */
const SHORT_PAGES = 100;

/** What is on the pages behind would seem to be gone. */
const UNFOLLOWED: PeerFailure = {
  kind: 'failed',
  message: 'it comes in pages that this node cannot follow',
};

/** Follows the pages of one resource of a peer, which comes in as many as the peer likes. */
export class PageTrail {
  readonly #asked = new Set<string>();
  #short = 0;

  /** Counts a page that another one follows. @returns why no more of them are read */
  count(isShort: boolean): PeerFailure | undefined {
    if (isShort) this.#short += 1;
    if (this.#short <= SHORT_PAGES) return undefined;
    return { kind: 'failed', message: `it comes in more than ${SHORT_PAGES} pages that are almost empty` };
  }

  /**
   * Where the page behind one is; undefined behind the last. A node may be known by another address than its own, which
   * its links begin with: of those of our kind, only the place (`after`) counts. Any other link is followed as it is, at the
   * server that answered and at no other.
   * @param asked the address that the page was asked for at
   */
  follow(
    { next, url }: PeerBody,
    asked: string,
    isShort: boolean,
  ): { readonly kind: 'next'; readonly url: string } | PeerFailure | undefined {
    if (next === undefined) return undefined;
    const target = parsedUrl(next, url);
    const after = target?.searchParams.get('after') ?? undefined;
    if (!target || (after === undefined && target.origin !== new URL(url).origin)) return UNFOLLOWED;
    this.#asked.add(asked);
    const behind = after === undefined ? target.href : addressWith(asked, { after });
    if (this.#asked.has(behind)) return { kind: 'failed', message: 'its pages lead in a circle' };
    return this.count(isShort) ?? { kind: 'next', url: behind };
  }
}

/**
 * Asks for a page, and for smaller ones where it is too large. At first the peer chooses.
 * @param sizes to try, in this order
 * @returns the size as well that was asked for last
 */
export async function inSmallerPages(
  sizes: readonly number[],
  size: number | undefined,
  ask: (size: number | undefined) => Promise<PeerReading>,
): Promise<{ readonly reading: PeerReading; readonly pageSize: number | undefined }> {
  for (let pageSize = size; ; ) {
    const reading = await ask(pageSize);
    if (reading.kind !== 'failed' || reading.reason !== 'too-large') return { reading, pageSize };
    const smaller = smallerSize(sizes, pageSize);
    if (smaller === undefined) {
      const message = `${reading.message}: raise sync.maxBytes to read it`;
      return { reading: { ...reading, message }, pageSize };
    }
    pageSize = smaller;
  }
}

export function smallerSize(sizes: readonly number[], size: number | undefined): number | undefined {
  return sizes.find((one) => one < (size ?? Number.POSITIVE_INFINITY));
}

/** A page that is not the first was asked for without conditions. */
export function notWhole(reading: Exclude<PeerReading, PeerBody>): PeerFailure {
  return reading.kind === 'failed' ? reading : { kind: 'failed', message: 'answers 304 unasked' };
}
