import { html } from 'hono/html';
import type { Markup } from './page.js';

/** A link for http and https URLs, else plain text: other schemes (`javascript:`) in metadata must not become links. */
export function address(text: string): Markup {
  return /^https?:\/\//i.test(text) ? html`<a href="${text}" rel="noreferrer">${text}</a>` : html`${text}`;
}

/** A time in UTC; the script of the page replaces it by how long ago it was. */
export function time(ms: number | undefined): Markup {
  if (ms === undefined) return html`–`;
  const iso = new Date(ms).toISOString();
  return html`<time datetime="${iso}">${iso.replace('T', ' ').slice(0, 19)} UTC</time>`;
}

/** The last part of an IRI, which people recognise. */
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

/** A short name for a shape, with the usual prefix of its vocabulary, so that Persons of two vocabularies differ. */
export function shapeName(iri: string): string {
  const prefix = PREFIXES.find(([, namespace]) => namespace.test(iri))?.[0];
  return prefix === undefined ? localName(iri) : `${prefix}:${localName(iri)}`;
}
