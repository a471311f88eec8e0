import type { Quad, Term } from '@rdfjs/types';
import { type RdfDocument, readRdf } from '../../component/rdf/rdf-parse.js';
import { componentsFromQuads } from '../../component/reading/descriptions.js';
import { LOCAL } from '../../component/source.js';
import { isAbsoluteIri } from '../../component/values.js';
import { createVocabulary, RDF_TYPE, type Vocabulary } from '../../component/vocabulary.js';
import { MalformedInput } from '../../lib/faults.js';
import { type ListingBody, type Statements, tooManyDocuments } from './listing-body.js';

/** Characters of a graph's name, at most. */
const LONGEST_NAME = 2048;
/** Characters of the graphs' names on the average, at most: each name is stored several times. */
const AVERAGE_NAME = 200;

/**
 * Reads components from RDF, a subject at a time. What is in no graph is the peer's own words.
 * @throws MalformedInput for statements none of which is about components
 */
export async function* statementsInRdf(body: ListingBody, mediaType: string): AsyncGenerator<Statements> {
  const { text, base, namespace, maxGraphs } = body;
  const vocabulary = createVocabulary(namespace);
  const subjects = new Subjects(vocabulary, maxGraphs);
  const document: RdfDocument = { text, mediaType, baseIri: base, namespace };
  await readRdf(document, (quad) => subjects.add(quad));
  let recognised = subjects.empty;
  for (const graphs of subjects.all()) {
    for (const [graph, statements] of graphs) {
      const described = componentsFromQuads(statements, vocabulary, base);
      recognised ||= described.components.length + described.invalid.length > 0;
      yield { graph, described };
    }
  }
  if (recognised) return;
  throw new MalformedInput(
    `it describes no components in the vocabulary <${namespace}>: does the peer use another one?`,
  );
}

/** The statements about components by subject and then by graph, in the order in which they come. */
class Subjects {
  readonly #vocabulary: Vocabulary;
  readonly #maxGraphs: number;
  readonly #bySubject = new Map<string, Map<string, Quad[]>>();
  readonly #graphs = new Set<string>();
  /** Of the names of all graphs. */
  #characters = 0;
  #empty = true;

  constructor(vocabulary: Vocabulary, maxGraphs: number) {
    this.#vocabulary = vocabulary;
    this.#maxGraphs = maxGraphs;
  }

  /** Has nothing come at all? */
  get empty(): boolean {
    return this.#empty;
  }

  add(quad: Quad): void {
    this.#empty = false;
    // What says nothing of components would only take memory.
    if (quad.predicate.value !== RDF_TYPE && !this.#vocabulary.fields.has(quad.predicate.value)) return;
    const name = nameOf(quad.graph);
    if (name === undefined) return;
    this.#count(name);
    const { value: subject } = quad.subject;
    const graphs = this.#bySubject.get(subject) ?? new Map<string, Quad[]>();
    this.#bySubject.set(subject, graphs);
    const statements = graphs.get(name);
    if (statements) statements.push(quad);
    else graphs.set(name, [quad]);
  }

  all(): Iterable<Map<string, Quad[]>> {
    return this.#bySubject.values();
  }

  #count(graph: string): void {
    if (this.#graphs.has(graph)) return;
    this.#graphs.add(graph);
    this.#characters += graph.length;
    if (this.#graphs.size > this.#maxGraphs) throw new MalformedInput(tooManyDocuments(this.#maxGraphs));
    if (this.#characters > this.#maxGraphs * AVERAGE_NAME) {
      throw new MalformedInput('the names of its documents are too long, taken together');
    }
  }
}

/** Graphs with a name that cannot be kept are passed over: no node of ours makes such names. */
function nameOf({ termType, value }: Term): string | undefined {
  if (termType === 'DefaultGraph') return LOCAL.url;
  const usable =
    termType === 'NamedNode' && value.length <= LONGEST_NAME && value.isWellFormed() && isAbsoluteIri(value);
  return usable ? value : undefined;
}
