import type { Quad } from '@rdfjs/types';
import type jsonld from 'jsonld';
import { MalformedInput } from '../../lib/faults.js';
import { createVocabulary, type Vocabulary } from '../vocabulary.js';
import { SHIPPED_CONTEXTS, vocabularyContext } from './contexts.js';
import { explainJsonLd, parseJsonLd } from './json-ld-bounds.js';

/** Nodes that are expanded at a time: expanding takes ten times the memory of the text. */
const PORTION = 1000;

/**
 * The quads of a JSON-LD document (see `RdfDocument`), as plain objects, in lists. No context is ever fetched; documents that
 * would take too long to expand are refused.
 * @throws MalformedInput saying what is wrong with the text
 */
export async function* jsonLdQuads(
  text: string,
  { baseIri, namespace, strict }: Readonly<{ baseIri: string; namespace: string; strict: boolean }>,
): AsyncGenerator<Quad[]> {
  const document = parseJsonLd(text);
  const options = { base: baseIri, safe: strict, documentLoader: contextLoader(createVocabulary(namespace)) };
  const portions = Array.isArray(document) && !MAY_NAME_BLANK_NODES.test(text) ? cut(document) : [document];
  let portion = 0;
  try {
    // Imported here, because it is the largest library and would slow down every start.
    const { default: processor } = await import('jsonld');
    for (const nodes of portions) {
      const quads = (await processor.toRDF(nodes, options as jsonld.Options.ToRdf)) as unknown as Quad[];
      yield portion === 0 ? quads : quads.map((quad) => apart(quad, portion));
      portion += 1;
    }
  } catch (cause) {
    if (cause instanceof MalformedInput) throw cause;
    throw new MalformedInput(`Not valid JSON-LD: ${explainJsonLd(cause)}`, { cause });
  }
}

/** Blank nodes with names may be the same in several portions. Names can hide behind escapes for `_` and `:`. */
const MAY_NAME_BLANK_NODES = /_:|\\u00(?:5f|3a)/i;

/** The nodes of a list, which have nothing in common, in portions; what has been taken is not kept. */
function* cut(nodes: jsonld.JsonLdDocument & unknown[]): Generator<jsonld.JsonLdDocument> {
  do yield nodes.splice(0, PORTION) as unknown as jsonld.JsonLdDocument;
  while (nodes.length > 0);
}

/** The names that jsonld gives to blank nodes are the same in each portion. */
function apart(quad: Quad, portion: number): Quad {
  const named = <T extends { readonly termType: string; readonly value: string }>(term: T): T =>
    term.termType === 'BlankNode' ? { ...term, value: `${term.value}x${portion}` } : term;
  return { ...quad, subject: named(quad.subject), object: named(quad.object), graph: named(quad.graph) };
}

/** Returns the contexts that the node ships. Others are refused: no document may make this node send a request. */
function contextLoader(vocabulary: Vocabulary) {
  const own = vocabulary.namespace.replace(/#$/, '');
  return async (url: string) => {
    const isOwn = url === own || url === vocabulary.namespace;
    const context = isOwn ? vocabularyContext(vocabulary) : SHIPPED_CONTEXTS.get(url);
    if (context) return { contextUrl: undefined, documentUrl: url, document: { '@context': context } };
    const known = [own, ...SHIPPED_CONTEXTS.keys()].map((one) => `<${one}>`);
    throw new Error(
      `the context <${url}> is not fetched; write it into the document, or use ${known.join(' or ')}`,
    );
  };
}
