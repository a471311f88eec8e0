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
function localName(iri: string): string {
  const name = /[#/:]([^#/:]+)[#/]?$/.exec(iri)?.[1] ?? iri;
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

const PREFIXES: readonly (readonly [string, RegExp])[] = [
  ['foaf', /^http:\/\/xmlns\.com\/foaf\/0\.1\//],
  ['schema', /^https?:\/\/schema\.org\//],
  ['vcard', /^http:\/\/www\.w3\.org\/2006\/vcard\/ns#/],
  ['ical', /^http:\/\/www\.w3\.org\/2002\/12\/cal\/ical#/],
  ['as', /^https:\/\/www\.w3\.org\/ns\/activitystreams#/],
  ['ldp', /^http:\/\/www\.w3\.org\/ns\/ldp#/],
  ['skos', /^http:\/\/www\.w3\.org\/2004\/02\/skos\/core#/],
];

/** A shape as people write it: with the usual prefix of its vocabulary, so that two kinds of Person stay two. */
export function shapeName(iri: string): string {
  const prefix = PREFIXES.find(([, namespace]) => namespace.test(iri))?.[0];
  return prefix === undefined ? localName(iri) : `${prefix}:${localName(iri)}`;
}

/** `1 component`, `2 components`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}
