import { grouped } from '../lib/grouped.js';
import { withoutStop } from '../lib/sentence.js';
import { HostError, needed } from './host-error.js';
import type { Quad, Term } from './quad.js';

const TURTLE_FAMILY: readonly string[] = [
  'text/turtle',
  'application/n-triples',
  'application/trig',
  'application/n-quads',
];
export const JSON_LD = 'application/ld+json';

/**
 * What to ask a server for when quads are wanted. JSON-LD comes last: reading it takes another module. Written without
 * spaces, because browsers ask for permission first (a preflight) when the header is longer than 128 bytes.
 */
export const ACCEPT_RDF =
  'text/turtle,application/n-triples;q=0.9,application/trig;q=0.8,application/n-quads;q=0.8,application/ld+json;q=0.5';

export function isRdf(mediaType: string): boolean {
  return isTurtle(mediaType) || mediaType === JSON_LD;
}

/** Is it Turtle, or so near to it that triples can be added to the end of a document? */
export function isTurtle(mediaType: string): boolean {
  return TURTLE_FAMILY.includes(mediaType);
}

/**
 * Parses a document of the Turtle family, or JSON-LD.
 * @param base what relative IRIs are resolved against: the URL of the document
 * @throws HostError `type` for other formats, `syntax` for what is broken, `network` when the module that reads
 * the format cannot be loaded
 */
export async function parseRdf(text: string, mediaType: string, base: string): Promise<Quad[]> {
  if (!isRdf(mediaType)) {
    const formats = [...TURTLE_FAMILY, JSON_LD].join(', ');
    throw new HostError('type', `${base} is ${mediaType || 'of no type'}; quads are read from ${formats}`);
  }
  const { parseTurtle } = await needed(import('./turtle.js'), 'reads Turtle');
  const isJson = mediaType === JSON_LD;
  const { jsonLdToNQuads } = isJson ? await needed(import('./json-ld.js'), 'reads JSON-LD') : {};
  try {
    const quads = await jsonLdToNQuads?.(text, base);
    return quads === undefined
      ? parseTurtle(text, mediaType, base)
      : parseTurtle(quads, 'application/n-quads', base);
  } catch (cause) {
    const why = withoutStop(cause instanceof Error ? cause.message : String(cause));
    throw new HostError('syntax', `${base} is not valid ${mediaType}: ${why}`, { cause });
  }
}

/**
 * Quads as N-Triples, which is Turtle, too. Blank nodes get `prefix` in front of their labels.
 * @throws HostError `request` for terms that a triple cannot have, and for quads in named graphs
 */
export function toTriples(quads: Iterable<Quad>, prefix = ''): string {
  let text = '';
  for (const { subject, predicate, object, graph } of quads) {
    if (graph && graph.termType !== 'DefaultGraph') {
      throw new HostError('request', `a document has no room for the named graph ${graph.value}`);
    }
    const write = (term: Term, allowed: readonly string[]) => termText(term, allowed, prefix);
    text += `${write(subject, NODES)} ${write(predicate, IRIS)} ${write(object, TERMS)} .\n`;
  }
  return text;
}

export function hasBlankNodes(quads: readonly Quad[]): boolean {
  return quads.some(({ subject, object }) =>
    [subject, object].some(({ termType }) => termType === 'BlankNode'),
  );
}

const IRIS = ['NamedNode'];
const NODES = [...IRIS, 'BlankNode'];
const TERMS = [...NODES, 'Literal'];
const XSD_STRING = 'http://www.w3.org/2001/XMLSchema#string';

function termText(term: Term, allowed: readonly string[], prefix: string): string {
  if (!allowed.includes(term?.termType)) {
    throw new HostError('request', `a ${term?.termType ?? 'missing term'} cannot stand there in a triple`);
  }
  if (term.termType === 'NamedNode') return iriText(term.value);
  if (term.termType === 'BlankNode') return `_:${prefix}${term.value.replace(/[^A-Za-z0-9]/g, '_')}`;
  const quoted = `"${term.value.replace(NOT_IN_STRING, codePoint)}"`;
  if (term.language) return `${quoted}@${term.language}`;
  const datatype = term.datatype?.value ?? XSD_STRING;
  return datatype === XSD_STRING ? quoted : `${quoted}^^${iriText(datatype)}`;
}

// Encoded or escaped rather than refused: nothing in a term can end it early and begin a statement of its own. No escape makes an
// IRI of what is none (RDF 1.1 Turtle, section 6.4).
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is escaped
const NOT_IN_IRI = /[\u0000-\u0020<>"{}|\\^`]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the same
const NOT_IN_STRING = /["\\\u0000-\u001f\u007f]/g;

function iriText(iri: string): string {
  return `<${iri.replace(NOT_IN_IRI, encodeURIComponent)}>`;
}

function codePoint(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Quads as expanded JSON-LD; all IRIs are absolute. */
export function toJsonLd(quads: readonly Quad[]): string {
  const nodes = [...grouped(quads, ({ subject }) => idOf(subject))].map(([id, said]) => {
    const properties = grouped(said, ({ predicate }) => predicate.value);
    const values = [...properties].map(([name, some]) => [name, some.map(({ object }) => jsonOf(object))]);
    return Object.fromEntries([['@id', id], ...values]);
  });
  return JSON.stringify(nodes);
}

function jsonOf(term: Term): object {
  if (term.termType !== 'Literal') return { '@id': idOf(term) };
  const { value, language, datatype } = term;
  if (language) return { '@value': value, '@language': language };
  return { '@value': value, '@type': datatype?.value };
}

function idOf({ termType, value }: Term): string {
  return termType === 'BlankNode' ? `_:${value}` : value;
}
