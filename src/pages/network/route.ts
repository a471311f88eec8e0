import { requireOperator } from '../../http/access/operator.js';
import { unlessHeld } from '../../lib/http/cacheable.js';
import type { Handler } from '../../lib/http/resource.js';
import { textTag } from '../../lib/http/response/conditional.js';
import { pageAnswer } from '../shell/page-answer.js';
import { type NetworkPageParts, readNetwork } from './state.js';
import { networkPage } from './view.js';

/**
 * `GET /network`: the status as a page; with the operator token, also what only the operator may see and decide. It is made
 * anew when the status has changed, and not for each tab that asks whether it has.
 */
export function getNetworkPage(parts: NetworkPageParts): Handler {
  /** The latest page of visitors, and that of the operator. */
  const latest = new Map<boolean, { readonly etag: string; readonly text: string }>();
  return async (c) => {
    const isOperator = c.req.raw.headers.has('authorization');
    if (isOperator) requireOperator(c.req.raw, parts.config.operatorToken);
    const view = await readNetwork(parts, isOperator);
    const etag = textTag(JSON.stringify(view));
    const known = latest.get(isOperator);
    const page = known?.etag === etag ? known : { etag, text: networkPage(view) };
    latest.set(isOperator, page);
    const caching = isOperator ? 'private, no-cache' : 'no-cache';
    const headers = { vary: 'Accept, Authorization', 'cache-control': caching };
    return unlessHeld(c, etag, pageAnswer(page.text, { headers }));
  };
}
