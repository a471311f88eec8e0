import type { Quad, Term } from '@rdfjs/types';
import { readSoundLines } from '../../component/rdf/n-quads-lines.js';
import { type RdfDocument, readRdf } from '../../component/rdf/rdf-parse.js';
import { GraphNodes } from '../../component/reading/capability-nodes.js';
import type { Described } from '../../component/reading/described.js';
import { componentsFromQuads, mentionsCapabilities } from '../../component/reading/descriptions.js';
import { LOCAL } from '../../component/source.js';
import { createVocabulary, RDF_TYPE, type Vocabulary } from '../../component/vocabulary.js';
import { MalformedInput } from '../../lib/faults.js';
import { isAbsoluteIri, percentEncoded } from '../../lib/iri.js';
import { type Wrong, wrongIn } from '../wrong.js';
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

/** What a graph of the peer says. */
export interface Statements {
  /** Its name there; percent-encoded where that is no IRI. */
  readonly graph: string;
  readonly described?: Described;
  /** Why nothing of the graph is taken. */
  readonly refused?: string;
  /** What this node stumbled over, for its log; the status has it among what is invalid. */
  readonly stumble?: Wrong;
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
  const empty = () => new Subjects(vocabulary, maxGraphs, mentionsCapabilities(text));
  const subjects = await subjectsIn({ text, mediaType, baseIri: base, namespace }, empty);
  let recognised = subjects.empty;
  for (const [graph, statements] of subjects.all()) {
    const said = describedOrNot(statements[0]?.subject.value, () =>
      componentsFromQuads(statements, vocabulary, base),
    );
    recognised ||= said.described.components.length + said.described.invalid.length > 0;
    yield { graph, ...said };
  }
  for (const [graph, refused] of subjects.refused) {
    recognised = true;
    yield { graph, refused };
  }
  if (recognised) return;
  throw new MalformedInput(
    `it describes no components in the vocabulary <${namespace}>: does the peer use another one?`,
  );
}

/** Reads all statements; where some lines of N-Quads are wrong, those of all other graphs. */
async function subjectsIn(document: RdfDocument, empty: () => Subjects): Promise<Subjects> {
  const subjects = empty();
  try {
    await readRdf(document, (quad) => subjects.add(quad));
    return subjects;
  } catch (error) {
    if (!(error instanceof MalformedInput) || document.mediaType !== 'application/n-quads') throw error;
    const sound = empty();
    readSoundLines(
      document.text,
      (quad) => sound.add(quad),
      (graph, why) => sound.refuse(graph ?? LOCAL.url, why),
    );
    return sound;
  }
}

/** What is thrown while one description is read makes that invalid, and nothing else. */
export function describedOrNot(
  subject: string | undefined,
  read: () => Described,
): { readonly described: Described; readonly stumble?: Wrong } {
  try {
    return { described: read() };
  } catch (error) {
    if (error instanceof MalformedInput) throw error;
    const stumble = wrongIn(error);
    const faults = [{ pointer: '', detail: stumble.message }];
    return { described: { components: [], invalid: [{ subject: subject ?? '?', faults }] }, stumble };
  }
}

/** The statements about components by subject and then by graph, in the order in which they come. */
class Subjects {
  readonly #vocabulary: Vocabulary;
  readonly #maxGraphs: number;
  readonly #bySubject = new Map<string, Map<string, Quad[]>>();
  /** By graph, what capabilities may consist of; kept only where there are some. */
  readonly #nodes: Map<string, GraphNodes> | undefined;
  readonly #graphs = new Set<string>();
  /** Graphs of which nothing is taken, and why. */
  readonly refused = new Map<string, string>();
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
    if (name === undefined) {
      this.refuse(quad.graph.value, NO_IRI);
      return;
    }
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

  /** From now on, nothing of a graph is taken. */
  refuse(graph: string, why: string): void {
    this.#empty = false;
    const name = percentEncoded(graph);
    if (name.length > LONGEST_NAME || !isAbsoluteIri(name) || this.refused.has(name)) return;
    this.#count(name);
    this.refused.set(name, name === graph ? why : `${NO_IRI}: ${graph}`);
  }

  *all(): Generator<[graph: string, statements: readonly Quad[]]> {
    for (const graphs of this.#bySubject.values()) {
      for (const [graph, quads] of graphs) {
        if (this.refused.has(graph)) continue;
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

const NO_IRI = 'its name is no IRI (RFC 3987), so that nothing of it is taken';

/** Undefined for a name that cannot be kept. */
function nameOf({ termType, value }: Term): string | undefined {
  if (termType === 'DefaultGraph') return LOCAL.url;
  return termType === 'NamedNode' && value.length <= LONGEST_NAME && isAbsoluteIri(value) ? value : undefined;
}
