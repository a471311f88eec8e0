import type { Quad, Term } from '@rdfjs/types';
import { type RdfDocument, readRdf } from '../../component/rdf/rdf-parse.js';
import { GraphNodes } from '../../component/reading/capability-nodes.js';
import type { Described } from '../../component/reading/described.js';
import { componentsFromQuads, mentionsCapabilities } from '../../component/reading/descriptions.js';
import { LOCAL } from '../../component/source.js';
import { isAbsoluteIri } from '../../component/values.js';
import { createVocabulary, RDF_TYPE, type Vocabulary } from '../../component/vocabulary.js';
import { MalformedInput } from '../../lib/faults.js';
import { tooManyDocuments } from './peer-failure.js';

/** One page of a listing, as a peer sent it. */
export interface ListingBody {
  readonly text: string;
  readonly mediaType: string;
  /** Where the addresses that the peer gives to components begin: its own URL and `/c/`. */
  readonly base: string;
  /** Of the vocabulary. */
  readonly namespace: string;
  /** Graphs at most. */
  readonly maxGraphs: number;
}

/** Descriptions, by the graph at the peer that holds them. */
export interface Statements {
  readonly graph: string;
  readonly described: Described;
}

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
  const subjects = new Subjects(vocabulary, maxGraphs, mentionsCapabilities(text));
  const document: RdfDocument = { text, mediaType, baseIri: base, namespace };
  await readRdf(document, (quad) => subjects.add(quad));
  let recognised = subjects.empty;
  for (const [graph, statements] of subjects.all()) {
    const described = componentsFromQuads(statements, vocabulary, base);
    recognised ||= described.components.length + described.invalid.length > 0;
    yield { graph, described };
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
  /** By graph, what capabilities may consist of; kept only where there are some. */
  readonly #nodes: Map<string, GraphNodes> | undefined;
  readonly #graphs = new Set<string>();
  /** Of the names of all graphs. */
  #characters = 0;
  #empty = true;

  constructor(vocabulary: Vocabulary, maxGraphs: number, hasCapabilities: boolean) {
    this.#vocabulary = vocabulary;
    this.#maxGraphs = maxGraphs;
    this.#nodes = hasCapabilities ? new Map() : undefined;
  }

  /** Has nothing come at all? */
  get empty(): boolean {
    return this.#empty;
  }

  add(quad: Quad): void {
    this.#empty = false;
    const name = nameOf(quad.graph);
    if (name === undefined) return;
    const { value: subject } = quad.subject;
    const { fields, predicates } = this.#vocabulary;
    const { value: predicate } = quad.predicate;
    const isSaid = fields.has(predicate) || predicate === predicates.capability;
    if (!isSaid) this.#nodesOf(name)?.add(quad);
    // What says nothing of components would only take memory.
    if (!isSaid && predicate !== RDF_TYPE) return;
    this.#count(name);
    const graphs = this.#bySubject.get(subject) ?? new Map<string, Quad[]>();
    this.#bySubject.set(subject, graphs);
    const statements = graphs.get(name);
    if (statements) statements.push(quad);
    else graphs.set(name, [quad]);
  }

  *all(): Generator<[graph: string, statements: readonly Quad[]]> {
    for (const graphs of this.#bySubject.values()) {
      for (const [graph, quads] of graphs) {
        const nodes = this.#nodes?.get(graph);
        const capabilities = quads.filter(
          ({ predicate }) => predicate.value === this.#vocabulary.predicates.capability,
        );
        const parts = capabilities.flatMap(({ object }) => nodes?.below(object) ?? []);
        yield [graph, parts.length > 0 ? [...quads, ...parts] : quads];
      }
    }
  }

  #nodesOf(graph: string): GraphNodes | undefined {
    if (!this.#nodes) return undefined;
    const nodes = this.#nodes.get(graph) ?? new GraphNodes();
    this.#nodes.set(graph, nodes);
    return nodes;
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
