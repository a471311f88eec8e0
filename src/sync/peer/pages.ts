import { parsedUrl } from '../../lib/can-parse-url.js';
import { unreadable } from '../failures.js';
import type { PeerPolling } from './peer-memo.js';
import { addressWith, type Fingerprint, type PeerBody } from './peer-request.js';

/** Pages with less than this are almost empty; so many of one resource are read, since each costs a request. */
const SHORT = { items: 10, bytes: 20_000, pages: 100 } as const;
/** Bytes of all pages beyond ten times what is kept of a peer: it might send the same things without an end. */
const MORE_BYTES = 20_000_000;

interface PagedResource {
  readonly url: string;
  readonly accept: string;
  /** Makes the request for the first page conditional. */
  readonly before: Fingerprint;
}

/**
 * Reads a resource of a peer to its last page; it comes in as many as the peer likes.
 * @param read takes a page, and tells how many items it holds, or that nothing behind it is wanted
 * @returns what tells the state that was read, and whether it is that of `before`, of which nothing is read
 * @throws Unreadable
 */
export async function readPages(
  { ask, limits }: Pick<PeerPolling, 'ask' | 'limits'>,
  { url, accept, before }: PagedResource,
  read: (page: PeerBody) => Promise<number | 'enough'>,
): Promise<{ readonly mark: Fingerprint; readonly isUnchanged: boolean }> {
  const most = MORE_BYTES + 10 * limits.most.bytes;
  const asked = new Set<string>();
  let [bytes, short] = [0, 0];
  let mark: Fingerprint | undefined;
  for (let at: string | undefined = url; at !== undefined; ) {
    const answer = await ask(at, accept, mark ? {} : before);
    if (!answer.page) return { mark: answer.mark, isUnchanged: true };
    mark = !mark || isSameState(mark, answer.mark) ? answer.mark : {};
    asked.add(at);
    const { length } = answer.page.text;
    const items = await read(answer.page);
    at = items === 'enough' ? undefined : behind(answer.page, at);
    if (at === undefined) break;
    bytes += length;
    if (Number(items) < SHORT.items && length < SHORT.bytes) short += 1;
    if (asked.has(at)) throw unreadable('its pages lead in a circle');
    if (short > SHORT.pages)
      throw unreadable(`it comes in more than ${SHORT.pages} pages that are almost empty`);
    if (bytes > most) throw unreadable(`it comes with more than ${most} bytes`);
  }
  return { mark: mark ?? {}, isUnchanged: false };
}

/** Without a tag, one page's hash says nothing of the others; and pages of several states are read again next time. */
function isSameState(before: Fingerprint, { etag }: Fingerprint): boolean {
  return etag !== undefined && before.etag === etag;
}

/**
 * Where the page behind one is; undefined behind the last. A node may be known by another address than its own, which its
 * links begin with: of those of our kind, only the place counts. Any other link is followed as it is, at the server that
 * answered and at no other. What is on pages that cannot be followed would seem to be gone: that is a failure.
 * @param asked the address that the page was asked for at
 */
function behind({ next, url }: PeerBody, asked: string): string | undefined {
  if (next === undefined) return undefined;
  const target = parsedUrl(next, url);
  const { since, after } = Object.fromEntries(target?.searchParams ?? []);
  if (after !== undefined) return addressWith(asked, { since, after });
  if (target?.origin !== new URL(url).origin)
    throw unreadable('it comes in pages that this node cannot follow');
  return target.href;
}
