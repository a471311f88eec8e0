import type { Answer, RouteContext } from '../../lib/http/resource.js';
import { namesTag } from '../../lib/http/response/conditional.js';
import { pageHeaders } from './content-policy.js';

interface TaggedPage {
  /** Strong, with its quotes: it differs when the page does. */
  readonly etag: string;
  /** Makes the page; it is asked for only where the visitor does not have it. */
  readonly body: () => string;
  readonly status?: number;
  /** Is it for this visitor alone? */
  readonly isPrivate?: boolean;
}

/** A page that open tabs ask for again and again: while nothing has changed, the answer is a 304. */
export function taggedPage(
  { req }: RouteContext,
  { etag, body, status = 200, isPrivate = false }: TaggedPage,
): Answer {
  const headers = {
    ...pageHeaders(),
    etag,
    vary: 'Accept, Authorization',
    'cache-control': isPrivate ? 'private, no-cache' : 'no-cache',
  };
  if (namesTag(req.header('if-none-match'), etag)) return { status: 304, headers };
  return { status, headers, body: body() };
}
