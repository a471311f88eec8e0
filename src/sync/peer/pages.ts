import { parsedUrl } from '../../lib/can-parse-url.js';
import type { Failed } from '../failures.js';
import type { PeerPolling } from './peer-memo.js';
import { addressWith, type Fingerprint, notWhole, type PeerBody } from './peer-request.js';

/** Short pages of one resource that are read: each costs a request, and a peer might send them without an end. */
const SHORT_PAGES = 100;

/** Counts pages that others follow. What it makes tells of each, given whether it is short, why no more of them are read. */
export function pageCount(): (isShort: boolean) => string | undefined {
  let short = 0;
  return (isShort) => {
    if (isShort) short += 1;
    if (short <= SHORT_PAGES) return undefined;
    return `it comes in more than ${SHORT_PAGES} pages that are almost empty`;
  };
}

interface PagedResource {
  readonly url: string;
  readonly accept: string;
  /** Makes the request for the first page conditional. */
  readonly before: Fingerprint;
  /** A page that another one follows is short when it holds fewer items. */
  readonly short: number;
}

/**
 * Reads a resource of a peer to its last page; it comes in as many as the peer likes.
 * @param read tells how many items a page holds, or that nothing behind it is wanted, or why it cannot be read
 * @returns what tells the state that was read, and whether it is that of `before`, of which nothing is read
 */
export async function readPages(
  { ask }: Pick<PeerPolling, 'ask'>,
  { url, accept, before, short }: PagedResource,
  read: (page: PeerBody) => Promise<number | 'enough' | Failed>,
): Promise<{ readonly mark: Fingerprint; readonly isUnchanged: boolean } | Failed> {
  const count = pageCount();
  const asked = new Set<string>();
  let mark: Fingerprint | undefined;
  for (let at = url; ; ) {
    const page = await ask(at, accept, mark ? {} : before);
    if (page.kind === 'unchanged' && !mark) return { mark: page.fingerprint, isUnchanged: true };
    if (page.kind !== 'whole') return notWhole(page);
    mark = !mark || isSameState(mark, page.fingerprint) ? page.fingerprint : {};
    const items = await read(page);
    if (typeof items === 'object') return items;
    asked.add(at);
    const next = items === 'enough' ? undefined : behind(page, at);
    if (next === undefined) return { mark, isUnchanged: false };
    if (typeof next === 'object') return next;
    const fault = asked.has(next) ? 'its pages lead in a circle' : count(Number(items) < short);
    if (fault !== undefined) return { kind: 'failed', message: fault };
    at = next;
  }
}

/** Without a tag, one page's hash says nothing of the others; and pages of several states are read again next time. */
function isSameState(before: Fingerprint, { etag }: Fingerprint): boolean {
  return etag !== undefined && before.etag === etag;
}

/**
 * Where the page behind one is; undefined behind the last. A node may be known by another address than its own, which
 * its links begin with: of those of our kind, only the place (`after`) counts. Any other link is followed as it is, at the
 * server that answered and at no other. What is on pages that cannot be followed would seem to be gone: that is a failure.
 * @param asked the address that the page was asked for at
 */
function behind({ next, url }: PeerBody, asked: string): string | Failed | undefined {
  if (next === undefined) return undefined;
  const target = parsedUrl(next, url);
  const after = target?.searchParams.get('after') ?? undefined;
  if (!target || (after === undefined && target.origin !== new URL(url).origin))
    return { kind: 'failed', message: 'it comes in pages that this node cannot follow' };
  return after === undefined ? target.href : addressWith(asked, { after });
}
