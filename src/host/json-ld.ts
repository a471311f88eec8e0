import jsonld from 'jsonld';
import { explainJsonLd, parseJsonLd } from '../component/rdf/json-ld-bounds.js';
import { loadContextFromWeb } from './json-ld-context.js';

/**
 * A JSON-LD document as N-Quads. This is a module of its own, imported with the first such document, because it is
 * larger than all of the rest of the library. Documents that would take too long to expand are refused.
 *
 * @param base what relative IRIs are resolved against
 * @throws Error saying what is wrong with the text
 */
export async function jsonLdToNQuads(text: string, base: string): Promise<string> {
  const document = parseJsonLd(text);
  const documentLoader = async (url: string) => ({
    contextUrl: undefined,
    documentUrl: url,
    document: parseJsonLd(await loadContextFromWeb(url)),
  });
  const options = { base, format: 'application/n-quads', safe: false, documentLoader };
  try {
    return String(await jsonld.toRDF(document, options as jsonld.Options.ToRdf));
  } catch (error) {
    throw new Error(explainJsonLd(error), { cause: error });
  }
}
