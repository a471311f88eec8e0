import { Parser } from 'n3';
import { HostError } from './host-error.js';
import type { Quad, Term } from './quad.js';

const PARSED = ['text/turtle', 'application/n-triples', 'application/trig', 'application/n-quads'] as const;

/** What to ask a server for when quads are wanted. */
export const ACCEPT_RDF =
  'text/turtle, application/n-triples;q=0.9, application/trig;q=0.8, application/n-quads;q=0.8';

export function isRdf(mediaType: string): boolean {
  return (PARSED as readonly string[]).includes(mediaType);
}

/**
 * Parses a document of the Turtle family.
 * @param base what relative IRIs are resolved against: the URL of the document
 * @throws HostError `type` for other formats (JSON-LD, too: pods convert it when asked), `syntax` for what is broken
 */
export function parseRdf(text: string, mediaType: string, base: string): Quad[] {
  if (!isRdf(mediaType)) {
    throw new HostError(
      'type',
      `${base} is ${mediaType || 'of no type'}; quads are read from ${PARSED.join(', ')}`,
    );
  }
  try {
    // Named, the format keeps out what the parser would accept beyond it.
    return new Parser({ format: mediaType, baseIRI: base }).parse(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
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

export function hasBlankNodes(quads: Iterable<Quad>): boolean {
  for (const { subject, object } of quads) {
    if (subject.termType === 'BlankNode' || object.termType === 'BlankNode') return true;
  }
  return false;
}

const IRIS = ['NamedNode'];
const NODES = [...IRIS, 'BlankNode'];
const TERMS = [...NODES, 'Literal'];
const XSD_STRING = 'http://www.w3.org/2001/XMLSchema#string';

function termText(term: Term, allowed: readonly string[], prefix: string): string {
  if (!allowed.includes(term?.termType)) {
    throw new HostError('request', `a ${term?.termType ?? 'missing term'} cannot stand there in a triple`);
  }
  if (term.termType === 'NamedNode') return `<${term.value.replace(NOT_IN_IRI, codePoint)}>`;
  if (term.termType === 'BlankNode') return `_:${prefix}${term.value.replace(/[^A-Za-z0-9]/g, '_')}`;
  const quoted = `"${term.value.replace(NOT_IN_STRING, codePoint)}"`;
  if (term.language) return `${quoted}@${term.language}`;
  const datatype = term.datatype?.value ?? XSD_STRING;
  return datatype === XSD_STRING ? quoted : `${quoted}^^<${datatype.replace(NOT_IN_IRI, codePoint)}>`;
}

// Escaped rather than refused: nothing in a term can end it early and begin a statement of its own.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is escaped
const NOT_IN_IRI = /[\u0000-\u0020<>"{}|\\^`]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the same
const NOT_IN_STRING = /["\\\u0000-\u001f\u007f]/g;

function codePoint(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
