import type { Quad } from '@rdfjs/types';
import type jsonld from 'jsonld';
import type * as N3 from 'n3';
import { DataFactory, StreamParser } from 'n3';
import { explain, MalformedInput } from '../lib/faults.js';
import { breather } from '../lib/slices.js';
import type { Vocabulary } from './vocabulary.js';
import { XSD_BOOLEAN } from './vocabulary.js';

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
  const format = TURTLE_FAMILY[options.mediaType];
  const quads =
    format === undefined
      ? await parseJsonLd(text, options)
      : await parseTurtle(text, format, options.baseIri);
  const strange = quads.find(
    ({ subject, object }) => isQuoted(subject.termType) || isQuoted(object.termType),
  );
  if (strange) throw new MalformedInput('Quoted triples (RDF-star) are not supported');
  return quads;
}

async function parseTurtle(text: string, format: string, baseIRI: string): Promise<Quad[]> {
  const quads: Quad[] = [];
  let failure: unknown;
  const parser = new StreamParser({ format, baseIRI });
  parser.on('data', (quad: Quad) => quads.push(quad));
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
  return quads;
}

async function parseJsonLd(text: string, { baseIri, vocabulary, strict }: ParseOptions): Promise<Quad[]> {
  let document: jsonld.JsonLdDocument;
  try {
    document = JSON.parse(text);
  } catch (cause) {
    throw new MalformedInput(`Not JSON: ${explain(cause)}`, { cause });
  }
  const options = { base: baseIri, safe: strict === true, documentLoader: contextLoader(vocabulary) };
  try {
    // Loaded when it is needed: it is the largest of all libraries, and every start would wait for it.
    const { default: processor } = await import('jsonld');
    const dataset = (await processor.toRDF(document, options as jsonld.Options.ToRdf)) as unknown as Quad[];
    return dataset.map(withEquals);
  } catch (cause) {
    throw new MalformedInput(`Not valid JSON-LD: ${explainJsonLd(cause)}`, { cause });
  }
}

/** jsonld keeps what went wrong among the details of its errors, where that is more than a general remark. */
function explainJsonLd(error: unknown): string {
  const { details } = error as { details?: { cause?: unknown } };
  return explain(details?.cause ?? error);
}

/** jsonld makes plain objects; the quads of RDF/JS can be compared. */
function withEquals(plain: Quad): Quad {
  return DataFactory.fromQuad({ ...plain, termType: 'Quad', value: '' } as N3.Quad) as Quad;
}

/** Serves the one context that the node ships; every other would be a request that a stranger's text caused. */
function contextLoader(vocabulary: Vocabulary) {
  const own = vocabulary.namespace.replace(/#$/, '');
  return async (url: string) => {
    if (url === own || url === vocabulary.namespace) {
      return {
        contextUrl: undefined,
        documentUrl: url,
        document: { '@context': vocabularyContext(vocabulary) },
      };
    }
    throw new Error(`the context <${url}> is not fetched; write it into the document, or use <${own}>`);
  };
}

/** A JSON-LD context that maps the plain names of fields to the vocabulary. */
export function vocabularyContext({ namespace, predicates }: Vocabulary): Record<string, unknown> {
  const iri = (field: 'uri' | 'shapes') => ({ '@id': predicates[field], '@type': '@id' });
  return {
    component: `${namespace}component`,
    uri: iri('uri'),
    label: predicates.label,
    description: predicates.description,
    version: predicates.version,
    latest: { '@id': predicates.latest, '@type': XSD_BOOLEAN },
    author: predicates.author,
    tag: predicates.tag,
    shapes: iri('shapes'),
  };
}

function isQuoted(termType: string): boolean {
  return termType === 'Quad' || termType === 'Variable';
}
