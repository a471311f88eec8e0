import type { Quad } from '@rdfjs/types';
import type * as N3 from 'n3';
import { DataFactory, StreamParser } from 'n3';
import { explain, MalformedInput } from '../lib/faults.js';
import { breather } from '../lib/slices.js';
import { jsonLdQuads } from './json-ld.js';
import { quadsFromThread } from './json-ld-thread.js';
import type { Vocabulary } from './vocabulary.js';

/** Media types that are parsed, each with the name that the parser knows it by. */
const TURTLE_FAMILY: Readonly<Record<string, string>> = {
  'text/turtle': 'text/turtle',
  'application/n-triples': 'application/n-triples',
  'application/n-quads': 'application/n-quads',
  'application/trig': 'application/trig',
};
const JSON_LD = 'application/ld+json';

/** Characters that are parsed in one go, between two chances for other work. */
const PARSE_CHUNK = 8192;
/** Characters of JSON-LD that are expanded beside all other work: it cannot be done in slices, and takes about 0.1 s per MB. */
const LONG = 50_000;

export const PARSED_MEDIA_TYPES: readonly string[] = [...Object.keys(TURTLE_FAMILY), JSON_LD];

export interface ParseOptions {
  /** One of `PARSED_MEDIA_TYPES`, without parameters. */
  readonly mediaType: string;
  /** What relative IRIs are resolved against: the URL that the text was read from. */
  readonly baseIri: string;
  readonly vocabulary: Vocabulary;
  /** In JSON-LD, is a key that no context defines a fault (`true`), or passed over as JSON-LD 1.1 has it? */
  readonly strict?: boolean;
}

/**
 * Parses a document, giving way to other work on the way. Nothing is ever fetched: a JSON-LD context by
 * reference is an error, except that of the vocabulary itself (its namespace without the `#`).
 * @throws MalformedInput saying where the text breaks the syntax, and for terms that no registry stores
 */
export async function parseRdf(text: string, options: ParseOptions): Promise<Quad[]> {
  const quads: Quad[] = [];
  await readRdf(text, options, (quad) => quads.push(quad));
  return quads;
}

/** The same, quad by quad: of a long document, all of them at once would take much memory. What came before a fault is taken. */
export async function readRdf(
  text: string,
  options: ParseOptions,
  take: (quad: Quad) => unknown,
): Promise<void> {
  const format = TURTLE_FAMILY[options.mediaType];
  if (format === undefined) return readJsonLd(text, options, take);
  let strange: MalformedInput | undefined;
  await readTurtle(text, format, options.baseIri, (quad) => {
    if (isQuoted(quad.subject.termType) || isQuoted(quad.object.termType))
      strange ??= new MalformedInput('Quoted triples (RDF-star) are not supported');
    else take(quad);
  });
  if (strange) throw strange;
}

async function readTurtle(
  text: string,
  format: string,
  baseIRI: string,
  take: (quad: Quad) => void,
): Promise<void> {
  let failure: unknown;
  const parser = new StreamParser({ format, baseIRI });
  parser.on('data', take);
  parser.on('error', (error: Error) => {
    failure ??= error;
  });
  const breathe = breather();
  for (let at = 0; at < text.length && !failure; at += PARSE_CHUNK) {
    parser.write(text.slice(at, at + PARSE_CHUNK));
    await breathe();
  }
  await new Promise<void>((resolve) => {
    parser.once('close', resolve).once('end', resolve);
    if (failure) resolve();
    else parser.end();
  });
  if (failure) throw new MalformedInput(explain(failure), { cause: failure });
}

async function readJsonLd(
  text: string,
  { baseIri, vocabulary, strict = false }: ParseOptions,
  take: (quad: Quad) => unknown,
): Promise<void> {
  const options = { baseIri, namespace: vocabulary.namespace, strict };
  const breathe = breather();
  for await (const slice of text.length > LONG
    ? quadsFromThread(text, options)
    : [await jsonLdQuads(text, options)]) {
    for (const quad of slice) take(withEquals(quad));
    await breathe();
  }
}

/** jsonld makes plain objects; the quads of RDF/JS can be compared. */
function withEquals(plain: Quad): Quad {
  return DataFactory.fromQuad({ ...plain, termType: 'Quad', value: '' } as N3.Quad) as Quad;
}

function isQuoted(termType: string): boolean {
  return termType === 'Quad' || termType === 'Variable';
}
