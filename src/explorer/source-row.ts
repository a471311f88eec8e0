import { counted } from '../lib/counted.js';

/** A source in the JSON of `/status`, which is `SourceStatus` with times in ISO 8601. */
export interface SourceReport {
  readonly url: string;
  readonly kind: string;
  readonly configured: boolean;
  readonly hops: number;
  readonly via: readonly string[];
  readonly state: string;
  readonly components: number;
  readonly invalid: readonly unknown[];
  readonly failing: readonly unknown[];
  readonly lastAttempt?: string;
  readonly lastSuccess?: string;
  readonly nextAttempt?: string;
  readonly failingSince?: string;
  readonly error?: string;
  readonly notice?: string;
}

/** What the node holds by itself, in the words of the server (src/web/source-row.ts). */
const HELD_HERE: Readonly<Record<string, string>> = {
  local: 'what was posted here',
  sample: 'samples that come with it',
};

export function sourceKey({ kind, url }: SourceReport): string {
  return `${kind} ${url}`;
}

/** Fills the row of a source, in the same words as the server (src/web/source-row.ts). */
export function fillRow(row: HTMLTableRowElement, source: SourceReport): void {
  const { kind, state, components, error, notice, lastAttempt, lastSuccess } = source;
  const set = (field: string, content: Node | string) => fill(row, field, content);
  set('kind', kind in HELD_HERE ? 'this node' : kind);
  set('url', HELD_HERE[kind] ?? linkTo(source.url));
  set('state', state);
  set('since', source.failingSince === undefined ? '' : phrase('since', source.failingSince));
  set('error', [error, notice].filter(Boolean).join(' '));
  set('components', counted(components, 'component'));
  set('invalid', troubles(source));
  set('known', knownBy(source));
  set('lastSuccess', lastSuccess === undefined ? '–' : timeOf(lastSuccess));
  set('tried', state === 'failing' && lastAttempt !== undefined ? phrase('tried', lastAttempt) : '');
  set('nextAttempt', source.nextAttempt === undefined ? '–' : timeOf(source.nextAttempt));
  const mark = row.querySelector('[data-field="state"]');
  if (mark) mark.className = `state ${state}`;
}

function fill(row: HTMLTableRowElement, field: string, content: Node | string): void {
  const place = row.querySelector(`[data-field="${field}"]`);
  if (!place) return;
  const same = typeof content === 'string' ? place.textContent === content : sameLink(place, content);
  if (!same) place.replaceChildren(content);
}

/** Is the link there already? Replacing it by an equal one would take the focus from it. */
function sameLink(place: Element, content: Node): boolean {
  const present = place.querySelector('a');
  return content instanceof HTMLAnchorElement && present?.href === content.href;
}

function linkTo(url: string): Node | string {
  if (!/^https?:\/\//i.test(url)) return url;
  const link = document.createElement('a');
  link.href = url;
  link.rel = 'noreferrer';
  link.textContent = url;
  return link;
}

function phrase(word: string, iso: string): Node {
  const text = document.createElement('span');
  text.append(`${word} `, timeOf(iso));
  return text;
}

function timeOf(iso: string): HTMLTimeElement {
  const time = document.createElement('time');
  time.dateTime = iso;
  time.textContent = `${iso.replace('T', ' ').slice(0, 19)} UTC`;
  return time;
}

function knownBy({ kind, configured, hops, via }: SourceReport): string {
  if (kind in HELD_HERE) return '–';
  if (configured) return 'configuration';
  return counted(hops, 'hop') + (via.length > 0 ? ` via ${via.join(', ')}` : '');
}

function troubles({ invalid, failing }: SourceReport): string {
  const parts = [
    ...(invalid.length > 0 ? [`${invalid.length} invalid`] : []),
    ...(failing.length > 0 ? [`${counted(failing.length, 'document')} unreadable`] : []),
  ];
  return parts.join(', ');
}
