import { ask } from '../../../host/fetching.js';
import { byId, element } from '../../browser/element.js';
import type { Description } from './description.js';
import { TIMEOUT_MS } from './graph.js';

export interface Finding {
  readonly level: 'ok' | 'advice' | 'error';
  readonly what: string;
  readonly fix?: string;
}

/** What the node makes of a description: the document as it would be. */
export interface Draft {
  /** Turtle; absent when something stands in the way, or nothing is left. */
  readonly turtle?: string;
  /** What the document describes before. */
  readonly components: readonly Description[];
  readonly changes: readonly {
    readonly kind: string;
    readonly uri: string;
    readonly fields: readonly string[];
  }[];
  readonly findings: readonly Finding[];
}

export interface Described {
  readonly component: Description;
  readonly notes: readonly string[];
}

/** What is to become of a document. */
export interface Edit {
  /** Its URL, and its Turtle now; none when it is not there yet. */
  readonly document?: string;
  readonly before?: string;
  readonly put?: Description;
  /** Uri of a component. */
  readonly remove?: string;
}

/** Asks this node for JSON: sends `body` where there is one. @throws Error in the node's words */
export async function askOwnNode<T>(path: string, body?: unknown): Promise<T> {
  const json = { 'content-type': 'application/json' };
  const sent = body === undefined ? {} : { method: 'POST', headers: json, body: JSON.stringify(body) };
  const answer = await ask(`${document.body.dataset.root}${path}`, {
    fetch: (url, init) => fetch(url, init),
    timeoutMs: TIMEOUT_MS,
    cache: 'no-store',
    ...sent,
    headers: { accept: 'application/json', ...sent.headers },
  });
  const text = await answer.text();
  const said = (text === '' ? {} : JSON.parse(text)) as T & { detail?: string; title?: string };
  if (!answer.ok) throw new Error(said.detail ?? said.title ?? `the node answers ${answer.status}`);
  return said;
}

/** Has the node write the Turtle of a document, and find fault with it. Nothing is stored. @throws Error in the node's words */
export function draftOf(edit: Edit): Promise<Draft> {
  return askOwnNode('/publish/draft', edit);
}

/** Has the node describe the component of an npm package. @param files texts of manifests by their names */
export function describeManifest(files: Readonly<Record<string, string>>): Promise<Described> {
  return askOwnNode('/publish/describe', { files });
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
