import { parsedUrl } from '../../lib/can-parse-url.js';
import { parseLinks } from '../../lib/http/headers/link-header.js';
import { unreadable } from '../failures.js';
import type { PeerPolling } from './peer-memo.js';
import type { Fingerprint, PeerPage } from './peer-request.js';

/** So many pages may be almost empty, since each costs a request; and one more for every so many bytes that came. */
const SPARSE = { pages: 100, bytes: 2_000 } as const;
/** Bytes of all pages beyond ten times what is kept of a peer: it might send the same things without an end. */
const MORE_BYTES = 20_000_000;

interface PagedResource {
  /** Behind the peer's own URL. */
  readonly path: string;
  readonly accept: string;
  /** Makes the request for the first page conditional. */
  readonly before: Fingerprint | undefined;
}

/**
 * Reads a resource of a peer to its last page; it comes in as many as the peer likes.
 * @returns what tells the state that was read, and whether it is that of `before`, of which nothing is read
 * @throws Unreadable
 */
export async function readPages(
  { peer, ask, limits }: Pick<PeerPolling, 'peer' | 'ask' | 'limits'>,
  { path, accept, before }: PagedResource,
  read: (page: PeerPage) => Promise<void>,
): Promise<{ readonly mark: Fingerprint; readonly isUnchanged: boolean }> {
  const most = MORE_BYTES + 10 * limits.most.bytes;
  const asked = new Set<string>();
  let bytes = 0;
  let mark: Fingerprint | undefined;
  for (let at: string | undefined = peer + path; at !== undefined; ) {
    const { page, ...answer } = await ask(at, accept, mark ? undefined : before);
    if (!page) return { mark: answer.mark, isUnchanged: true };
    // Without a tag, one page's hash says nothing of the others; and pages of several states are read again next time.
    mark = !mark || (mark.etag !== undefined && mark.etag === answer.mark.etag) ? answer.mark : {};
    asked.add(at);
    bytes += page.text.length;
    await read(page);
    at = behind(page, at);
    if (at === undefined) break;
    if (asked.has(at)) throw unreadable('its pages lead in a circle');
    if (asked.size > SPARSE.pages + bytes / SPARSE.bytes)
      throw unreadable(`it comes in ${asked.size} pages that are almost empty`);
    if (bytes > most) throw unreadable(`it comes with more than ${most} bytes`);
  }
  return { mark: mark ?? {}, isUnchanged: false };
}

/** The target of the link to the next page (RFC 8288). */
export function linkToNext({ headers }: PeerPage): string | undefined {
  return parseLinks(headers.get('link')).find(({ relations }) => relations.includes('next'))?.target;
}

/**
 * Where the page behind one is; undefined behind the last. A node may be known by another address than its own, which its links
 * begin with: of those of our kind, only the parameters count. Any other link is followed as it is, at the server that answered
 * and at no other. What is on pages that cannot be followed would seem to be gone: that is a failure.
 * @param asked the address that the page was asked for at
 */
function behind(page: PeerPage, asked: string): string | undefined {
  const next = linkToNext(page);
  if (next === undefined) return undefined;
  const target = parsedUrl(next, page.url);
  if (target?.searchParams.has('after')) return new URL(target.search, asked).href;
  if (target?.origin !== new URL(page.url).origin)
    throw unreadable('it comes in pages that this node cannot follow');
  return target.href;
}
