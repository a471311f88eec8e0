import { ownTerms } from '../component/capability-terms.js';
import { type RdfDocument, readRdf } from '../component/rdf/rdf-parse.js';
import type { Described } from '../component/reading/described.js';
import { Descriptions, mayHaveCapabilities } from '../component/reading/descriptions.js';
import {
  createVocabulary,
  LDP_BASIC_CONTAINER,
  LDP_CONTAINER,
  LDP_CONTAINS,
  RDF_TYPE,
} from '../component/vocabulary.js';
import type { Parsing, Task } from '../lib/pool/task.js';

/** What a document has beside components, as far as it may be a mistake. */
interface Beside {
  /** Some terms in the vocabulary's namespace that are not in the vocabulary, without the namespace. */
  readonly oddTerms: readonly string[];
  readonly isContainer: boolean;
}

/** A document as a node reads it. */
export interface ReadDocument extends Beside {
  readonly described: Described;
}

/** How many odd terms are named, and the longest that can be a misspelt one. */
const MOST = { terms: 10, characters: 40 } as const;

/** Reads a document as nodes do, and what may be mistakes; in a worker, because a stranger's may take long. */
export const readTask: Task<RdfDocument, Beside & Described> = {
  module: 'publish/document-reading.js',
  name: 'readTask',
  async run(document) {
    const vocabulary = createVocabulary(document.namespace);
    const { namespace, fields, component, network } = vocabulary;
    const known = new Set([...fields.keys(), component, ...Object.values(network), ...ownTerms(namespace)]);
    const oddTerms = new Set<string>();
    let isContainer = false;
    const descriptions = new Descriptions(vocabulary, undefined, mayHaveCapabilities(document.text));
    await readRdf(document, (quad) => {
      descriptions.add(quad);
      const { predicate, object } = quad;
      const used = predicate.value === RDF_TYPE ? object.value : predicate.value;
      isContainer ||= [LDP_CONTAINER, LDP_BASIC_CONTAINER, LDP_CONTAINS].includes(used);
      if (!used.startsWith(namespace) || known.has(used) || oddTerms.size === MOST.terms) return;
      const term = used.slice(namespace.length);
      if (term.length <= MOST.characters) oddTerms.add(term);
    });
    return { oddTerms: [...oddTerms], isContainer, ...descriptions.read() };
  },
};

/** @throws MalformedInput */
export async function readDocument(
  document: RdfDocument,
  { pool, ...options }: Parsing,
): Promise<ReadDocument> {
  const { oddTerms, isContainer, ...described } = await pool.run(readTask, document, options);
  return { described, oddTerms, isContainer };
}
