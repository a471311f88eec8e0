import { ask, pageFetch } from '../../../host/fetching.js';
import type { Fetch } from '../../../publish/document.js';
import { type Finding, LEVELS, worstFirst } from '../../../publish/finding.js';
import { askNode } from '../../browser/ask-node.js';
import { byId, element } from '../../browser/element.js';

/** How long a server may take to answer, in ms. */
const TIMEOUT_MS = 15_000;

/** A fetch whose requests end in time, and are answered anew. */
export function inTime(fetch: Fetch): Fetch {
  return (url, init) => ask(url, { cache: 'no-store', ...init, fetch, timeoutMs: TIMEOUT_MS });
}

/** The fetch of somebody who has not signed in. */
export const strangersFetch = inTime(pageFetch);

/** Asks this node for JSON: sends `body` where there is one. @throws Error in the node's words */
export async function askOwnNode<T>(path: string, body?: unknown): Promise<T> {
  const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  return JSON.parse(await askNode(path, { ...sent, signal: AbortSignal.timeout(TIMEOUT_MS) }));
}

/** Lists findings as the node does for a document. */
export function showFindings(list: string, findings: readonly Finding[]): void {
  const rows = worstFirst(findings).map(({ level, what, fix }) => {
    const mend = fix === undefined ? undefined : element('small', {}, fix);
    return element('li', { class: level }, element('strong', {}, LEVELS[level]), ` ${what}`, mend);
  });
  byId(list).replaceChildren(...rows);
}
