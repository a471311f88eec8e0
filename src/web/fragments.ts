import { html } from 'hono/html';
import type { Markup } from './page.js';

/** A link, when it leads to the web: an address that was learned, or an author's, might begin with anything. */
export function address(text: string): Markup {
  return /^https?:\/\//i.test(text) ? html`<a href="${text}" rel="noreferrer">${text}</a>` : html`${text}`;
}

/** A moment, in UTC; the script of the page says how long ago it was. */
export function time(ms: number | undefined): Markup {
  if (ms === undefined) return html`–`;
  const iso = new Date(ms).toISOString();
  return html`<time datetime="${iso}">${iso.replace('T', ' ').slice(0, 19)} UTC</time>`;
}

/** The part of an IRI that people recognise: what follows its last separator. */
export function localName(iri: string): string {
  const name = /[#/:]([^#/:]+)[#/]?$/.exec(iri)?.[1] ?? iri;
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** `1 component`, `2 components`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}
