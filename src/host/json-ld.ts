import jsonld from 'jsonld';
import { refuseCostlyJsonLd } from '../component/rdf/json-ld-bounds.js';
import { parseBoundedJson } from '../lib/bounded-json.js';
import { explain } from '../lib/faults.js';
import { loadContextFromWeb } from './json-ld-context.js';

/**
 * A JSON-LD document as N-Quads. This is a module of its own, imported with the first such document, because it is
 * larger than all of the rest of the library. Documents that would take too long to expand are refused.
 *
 * @param base what relative IRIs are resolved against
 * @throws Error saying what is wrong with the text
 */
export async function jsonLdToNQuads(text: string, base: string): Promise<string> {
  const document = bounded(text);
  const documentLoader = async (url: string) => ({
    contextUrl: undefined,
    documentUrl: url,
    document: bounded(await loadContextFromWeb(url)),
  });
  const options = { base, format: 'application/n-quads', safe: false, documentLoader };
  try {
    return String(await jsonld.toRDF(document, options as jsonld.Options.ToRdf));
  } catch (error) {
    // Its errors have a general message; the details, where there are any, name the cause.
    const { details } = error as { details?: { cause?: unknown } };
    throw new Error(explain(details?.cause ?? error), { cause: error });
  }
}

function bounded(text: string): jsonld.JsonLdDocument {
  const document = parseBoundedJson(text) as jsonld.JsonLdDocument;
  refuseCostlyJsonLd(document);
  return document;
}
