import { percentDecode } from '../lib/http/request/percent.js';
import { canonicalShape } from './canonical-shape.js';
import table from './shape-names.json' with { type: 'json' };

/**
 * The prefixes that people write for the vocabularies of shapes, most of them as https://prefix.cc has them. Where a
 * vocabulary is written under several namespaces, all of them are read and none is preferred.
 */
const NAMESPACES: Readonly<Record<string, readonly string[]>> = table;

const PREFIXES: readonly (readonly [namespace: string, prefix: string])[] = Object.entries(
  NAMESPACES,
).flatMap(([prefix, namespaces]) => namespaces.map((namespace) => [namespace, prefix] as const));

/** A short name for a shape, with the usual prefix of its vocabulary, so that Persons of two vocabularies differ. */
export function shapeName(written: string): string {
  const iri = canonicalShape(written);
  const [, prefix] = PREFIXES.find(([namespace]) => iri.startsWith(namespace)) ?? [];
  return prefix === undefined ? localName(iri) : `${prefix}:${localName(iri)}`;
}

/**
 * The IRIs of shapes that a word of a search can stand for: itself, where it is an IRI, and what a prefixed name such as
 * `foaf:Person` expands to; in the canonical form.
 */
export function shapesNamed(word: string): string[] {
  const colon = word.indexOf(':');
  if (colon < 1 || colon === word.length - 1) return [];
  const prefix = word.slice(0, colon).toLowerCase();
  const namespaces = Object.hasOwn(NAMESPACES, prefix) ? (NAMESPACES[prefix] ?? []) : [];
  return [canonicalShape(word), ...namespaces.map((namespace) => namespace + word.slice(colon + 1))];
}

/** The IRI of a shape, class or property as people write it: what a prefixed name stands for, else the text itself. */
export function shapeIri(written: string): string {
  return shapesNamed(written)[1] ?? written;
}

/**
 * The IRIs of the names in a row of a table: one without a prefix belongs to the vocabulary of the class, `owner`, that the row is
 * about.
 */
export function irisInRow(owner: string, names: string): string[] {
  const prefix = owner.slice(0, owner.indexOf(':') + 1);
  return names.split(' ').map((name) => shapeIri(name.includes(':') ? name : prefix + name));
}

/** Schemes of IRIs that name things without `//` behind them; others there are most likely prefixes. */
const SCHEMES: readonly string[] = ['urn', 'did', 'tag', 'info', 'data', 'doi', 'hdl', 'ni', 'uuid', 'cid'];

/** What looks like a prefix in front of a text, whether or not it is known; `undefined` in front of an IRI. */
export function prefixIn(written: string): string | undefined {
  const [, scheme] = /^([^:]+):(?!\/\/)/.exec(written) ?? [];
  return scheme === undefined || SCHEMES.includes(scheme.toLowerCase()) ? undefined : scheme;
}

/** How shapes are written, behind a text that is none. */
export const WRITE_SHAPES = `write the whole IRI, or a name like foaf:Person; the prefixes are ${Object.keys(NAMESPACES).join(', ')}`;

/** Can a text be no shape, because every IRI begins with a scheme and every prefixed name with a prefix? */
export function isNoShape(written: string): boolean {
  return !/.:./s.test(written);
}

/** What is wrong with a shape that somebody asks for, and how to write it; `undefined` where it may be one. */
export function shapeFault(written: string): string | undefined {
  if (isNoShape(written)) return `${JSON.stringify(written)} is no shape: ${WRITE_SHAPES}`;
  const prefix = prefixIn(shapeIri(written));
  return prefix === undefined ? undefined : `the prefix ${prefix}: is not known here: ${WRITE_SHAPES}`;
}

/** The last part of an IRI, which people recognise. */
function localName(iri: string): string {
  const name = /[#/:]([^#/:]+)[#/]?$/.exec(iri)?.[1] ?? iri;
  const decoded = percentDecode(name);
  // No database stores this character, and nobody recognises it.
  return decoded === undefined || decoded.includes('\0') ? name : decoded;
}
