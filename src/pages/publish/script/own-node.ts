import type { ComponentMetadata } from '../../../host/component-metadata.js';
import { ask, pageFetch } from '../../../host/fetching.js';
import type { Fetch } from '../../../publish/document.js';
import type { Finding } from '../../../publish/finding.js';
import { byId, element } from '../../browser/element.js';

/** How long a server may take to answer, in ms. */
const TIMEOUT_MS = 15_000;

/** A fetch whose requests end in time, and are answered anew. */
export function inTime(fetch: Fetch): Fetch {
  return (url, init) => ask(url, { cache: 'no-store', ...init, fetch, timeoutMs: TIMEOUT_MS });
}

/** The fetch of somebody who has not signed in. */
export const strangersFetch = inTime(pageFetch);

/** A description of a component, in the JSON of `POST /component`. */
export interface Description extends Omit<ComponentMetadata, 'capability' | 'pin' | 'source' | 'since'> {
  readonly example?: string;
  readonly capability?: readonly unknown[];
}

/** A document as it would be after an edit: see `Draft` of src/publish/draft.ts. */
export interface Draft {
  readonly turtle?: string;
  readonly components: readonly Description[];
  readonly changes: readonly {
    readonly kind: string;
    readonly uri: string;
    readonly fields: readonly string[];
  }[];
  readonly findings: readonly Finding[];
}

/** Asks this node for JSON: sends `body` where there is one. @throws Error in the node's words */
export async function askOwnNode<T>(path: string, body?: unknown): Promise<T> {
  const headers = {
    accept: 'application/json',
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const url = `${document.body.dataset.root}${path}`;
  const answer = await strangersFetch(url, { headers, ...sent });
  const said = (await answer.json().catch(() => ({}))) as T & { detail?: string; title?: string };
  if (!answer.ok) throw new Error(said.detail ?? said.title ?? `the node answers ${answer.status}`);
  return said;
}

const LEVELS = { ok: 'OK', advice: 'Advice', error: 'Error' } as const;

/** Lists findings as the node does for a document. */
export function showFindings(list: string, findings: readonly Finding[]): void {
  const rows = findings.map(({ level, what, fix }) => {
    const mend = fix === undefined ? undefined : element('small', {}, fix);
    return element('li', { class: level }, element('strong', {}, LEVELS[level]), ` ${what}`, mend);
  });
  byId(list).replaceChildren(...rows);
}
