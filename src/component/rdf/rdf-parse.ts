import { EventEmitter } from 'node:events';
import type { Quad } from '@rdfjs/types';
import type * as N3 from 'n3';
import { DataFactory, Parser } from 'n3';
import { explain, MalformedInput } from '../../lib/faults.js';
import { withoutStop } from '../../lib/sentence.js';
import { jsonLdQuads } from './json-ld.js';
import { refuseLongBase } from './json-ld-bounds.js';
import { TURTLE_FAMILY } from './parsed-as.js';

/** Longest message of the parser that is passed on, in characters: it quotes the text that it cannot parse. */
const LONGEST_FAULT = 300;

/** A document to be parsed, as plain data that can be sent to a worker thread. */
export interface RdfDocument {
  readonly text: string;
  /** One of `PARSED_MEDIA_TYPES`, without parameters. */
  readonly mediaType: string;
  /** What relative IRIs are resolved against: the URL that the text was read from. */
  readonly baseIri: string;
  /** Of the vocabulary, whose JSON-LD context can be named, as can those that are shipped. */
  readonly namespace: string;
  /** Of JSON-LD: `true` makes a key that no context defines a fault; otherwise it is ignored, as JSON-LD 1.1 says. */
  readonly strict?: boolean;
}

/**
 * Parses a document without a pause, which may take seconds: a server parses documents of others in a worker thread,
 * see `document-tasks.ts`. Nothing is ever fetched: a JSON-LD context by reference is an error, except those that are
 * shipped: of the vocabulary (its namespace without the `#`), and of Application Capability.
 * @throws MalformedInput that names the place of a syntax error, and for terms that the registry does not store
 */
export async function parseRdf(document: RdfDocument): Promise<Quad[]> {
  const quads: Quad[] = [];
  await readRdf(document, (quad) => quads.push(quad));
  return quads;
}

/** Like `parseRdf`, but hands over quad by quad, to save memory. Quads before a fault have been handed over when it throws. */
export async function readRdf(document: RdfDocument, take: (quad: Quad) => unknown): Promise<void> {
  refuseLongBase(document.baseIri);
  const { mediaType, baseIri, namespace, strict = false } = document;
  if (TURTLE_FAMILY.includes(mediaType)) return readTurtle(document.text, mediaType, baseIri, take);
  for await (const quads of jsonLdQuads(document.text, { baseIri, namespace, strict }))
    for (const quad of quads) take(withEquals(quad));
}

/** The part of n3's parser that its type declarations leave out: an observer of tokens. */
interface TokenParser {
  parse(
    input: EventEmitter,
    observers: {
      onQuad: (error: Error | null, quad: Quad | null) => void;
      onToken: (token: { readonly type: string; readonly value: string }) => void;
    },
  ): void;
}

function readTurtle(text: string, format: string, baseIRI: string, take: (quad: Quad) => unknown): void {
  let failure: unknown;
  const input = new EventEmitter();
  const parser = new Parser({ format, baseIRI }) as unknown as TokenParser;
  const onQuad = (error: Error | null, quad: Quad | null) => {
    failure ??= error ?? undefined;
    if (!quad || failure) return;
    if (isQuoted(quad.subject.termType) || isQuoted(quad.object.termType))
      failure = new MalformedInput('Quoted triples (RDF-star) are not supported');
    else take(quad);
  };
  parser.parse(input, { onQuad, onToken: refuseLongNamespaces() });
  // In one chunk: with several, n3 would scan an unclosed literal again at each of them.
  input.emit('data', text);
  input.emit('end');
  if (failure instanceof MalformedInput) throw failure;
  if (!failure) return;
  // The text that is quoted may begin with a quotation mark itself.
  const fault = withoutStop(explain(failure)).replace(/^Unexpected "(.*)"/s, 'Unexpected “$1”');
  throw new MalformedInput(fault.slice(0, LONGEST_FAULT));
}

/** An observer of tokens that refuses a base or a namespace that is too long. */
function refuseLongNamespaces(): (token: { readonly type: string; readonly value: string }) => void {
  let declares = false;
  return ({ type, value }) => {
    if (declares && type === 'IRI') {
      refuseLongBase(value);
      declares = false;
    } else if (type !== 'prefix') declares = DECLARATIONS.has(type);
  };
}

/** The types of n3's tokens that begin declarations, in both spellings of Turtle. */
const DECLARATIONS = new Set(['@base', 'BASE', '@prefix', 'PREFIX']);

/** Makes quads of RDF/JS, which have `equals`, of the plain objects of jsonld. */
function withEquals(plain: Quad): Quad {
  return DataFactory.fromQuad({ ...plain, termType: 'Quad', value: '' } as N3.Quad) as Quad;
}

function isQuoted(termType: string): boolean {
  return termType === 'Quad' || termType === 'Variable';
}
