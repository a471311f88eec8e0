import { parsedUrl } from '../../lib/can-parse-url.js';
import { addressWith, type PeerBody, type PeerFailure } from './peer-request.js';

/** Short pages of one resource that are read: each costs a request, and a peer might send them without an end. */
const SHORT_PAGES = 100;

/** Follows the pages of one resource of a peer, which comes in as many as the peer likes. */
export class PageTrail {
  readonly #asked = new Set<string>();
  #short = 0;

  /** Counts a page that another one follows. @returns why no more of them are read */
  count(isShort: boolean): string | undefined {
    if (isShort) this.#short += 1;
    if (this.#short <= SHORT_PAGES) return undefined;
    return `it comes in more than ${SHORT_PAGES} pages that are almost empty`;
  }

  /**
   * Where the page behind one is; undefined behind the last. A node may be known by another address than its own, which
   * its links begin with: of those of our kind, only the place (`after`) counts. Any other link is followed as it is, at the
   * server that answered and at no other. What is on pages that cannot be followed would seem to be gone: that is a failure.
   * @param asked the address that the page was asked for at
   */
  follow({ next, url }: PeerBody, asked: string, isShort: boolean): string | PeerFailure | undefined {
    if (next === undefined) return undefined;
    const target = parsedUrl(next, url);
    const after = target?.searchParams.get('after') ?? undefined;
    if (!target || (after === undefined && target.origin !== new URL(url).origin))
      return { kind: 'failed', message: 'it comes in pages that this node cannot follow' };
    this.#asked.add(asked);
    const behind = after === undefined ? target.href : addressWith(asked, { after });
    const fault = this.#asked.has(behind) ? 'its pages lead in a circle' : this.count(isShort);
    return fault === undefined ? behind : { kind: 'failed', message: fault };
  }
}
