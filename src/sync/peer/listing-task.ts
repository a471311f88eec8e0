import type { Quad, Term } from '@rdfjs/types';
import { sizeOf } from '../../component/component-size.js';
import { readSoundLines } from '../../component/rdf/n-quads-lines.js';
import { PARSED_MEDIA_TYPES, type RdfDocument, readRdf } from '../../component/rdf/rdf-parse.js';
import { GraphNodes } from '../../component/reading/capability-nodes.js';
import type { Described } from '../../component/reading/described.js';
import { componentsFromQuads, mentionsCapabilities } from '../../component/reading/descriptions.js';
import { describedInJson } from '../../component/reading/json-descriptions.js';
import { LOCAL } from '../../component/source.js';
import { createVocabulary, RDF_TYPE, type Vocabulary } from '../../component/vocabulary.js';
import { parseBoundedJson } from '../../lib/bounded-json.js';
import { MalformedInput } from '../../lib/faults.js';
import { isAbsoluteIri, percentEncoded } from '../../lib/iri.js';
import type { Task } from '../../lib/pool/task.js';
import { portions } from '../../lib/portions.js';
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

/** Some of what a graph of the peer says. */
export interface Statements {
  /** Its name there; percent-encoded where that is no IRI. */
  readonly graph: string;
  readonly described?: Described;
  /** Why nothing of the graph is taken. */
  readonly refused?: string;
  /** What this node stumbled over, for its log; the status has it among what is invalid. */
  readonly stumble?: Wrong;
}

/** Reads one page of a peer's listing of components. */
export const listingTask: Task<ListingBody, readonly Statements[]> = {
  module: 'sync/peer/listing-task.js',
  name: 'listingTask',
  async *run(body) {
    yield* portions(await statementsIn(body), textOf);
  },
};

function textOf({ graph, described, refused = '' }: Statements): number {
  const { components = [], invalid = [] } = described ?? {};
  const faults = invalid.flatMap(({ faults }) => faults.map(({ detail }) => detail.length));
  return [...components.map(sizeOf), ...faults].reduce(
    (sum, one) => sum + one,
    graph.length + refused.length,
  );
}

/** @throws MalformedInput for what is no listing of components */
export async function statementsIn(body: ListingBody): Promise<Iterable<Statements>> {
  const { text, mediaType } = body;
  if (/[/+]json$/.test(mediaType) || (mediaType === '' && /^\s*[[{]/.test(text))) {
    const parsed = parseBoundedJson(text);
    const objects: readonly unknown[] = Array.isArray(parsed) ? parsed : [parsed];
    return objects.some(needsProcessor)
      ? statementsInRdf(body, 'application/ld+json')
      : statementsInJson(objects, body);
  }
  if (PARSED_MEDIA_TYPES.includes(mediaType)) return statementsInRdf(body, mediaType);
  throw new MalformedInput(`it is ${mediaType || 'of no media type'}, which is no listing of components`);
}

/** Does it take a JSON-LD processor to understand this? */
function needsProcessor(object: unknown): boolean {
  return typeof object === 'object' && object !== null && ('@context' in object || '@graph' in object);
}

/**
 * Reads the JSON listing of the specification, in any of the forms that nodes write it, or plain objects.
 * It names no graphs, so all of it counts as said by the peer itself.
 */
function* statementsInJson(
  objects: readonly unknown[],
  { namespace, base }: ListingBody,
): Generator<Statements> {
  const vocabulary = createVocabulary(namespace);
  let recognised = objects.length === 0;
  for (const [i, object] of objects.entries()) {
    const { described, stumble } = describedOrNot(NAMELESS, () =>
      describedInJson([object], vocabulary, base),
    );
    // A description without a uri is named by its place, which is that in the array of one.
    const invalid = described.invalid.map(({ subject, faults }) => {
      return { subject: subject === NAMELESS ? `#${i}` : subject, faults };
    });
    const isNamed = described.invalid.some(({ subject }) => subject !== NAMELESS);
    recognised ||= described.components.length > 0 || isNamed;
    yield { graph: LOCAL.url, described: { ...described, invalid }, stumble };
  }
  if (!recognised) throw new MalformedInput('it is JSON, and describes no components');
}

const NAMELESS = '#0';

/** Reads components from RDF, a subject at a time. What is in no graph is the peer's own words. */
async function statementsInRdf(body: ListingBody, mediaType: string): Promise<Iterable<Statements>> {
  const { text, base, namespace, maxGraphs } = body;
  const vocabulary = createVocabulary(namespace);
  const empty = () => new Subjects(vocabulary, maxGraphs, mentionsCapabilities(text));
  const subjects = await subjectsIn({ text, mediaType, baseIri: base, namespace }, empty);
  return described(subjects, vocabulary, base);
}

/** @throws MalformedInput for statements none of which is about components */
function* described(subjects: Subjects, vocabulary: Vocabulary, base: string): Generator<Statements> {
  let recognised = subjects.empty;
  for (const [graph, quads] of subjects.all()) {
    const said = describedOrNot(quads[0]?.subject.value, () => componentsFromQuads(quads, vocabulary, base));
    recognised ||= said.described.components.length + said.described.invalid.length > 0;
    yield { graph, ...said };
  }
  for (const [graph, refused] of subjects.refused) {
    recognised = true;
    yield { graph, refused };
  }
  if (recognised) return;
  throw new MalformedInput(
    `it describes no components in the vocabulary <${vocabulary.namespace}>: does the peer use another one?`,
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
function describedOrNot(
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

/** Characters of a graph's name, at most. */
const LONGEST_NAME = 2048;
/** Characters of the graphs' names on the average, at most: each name is stored several times. */
const AVERAGE_NAME = 200;

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
    if (!isSaid && this.#nodes) at(this.#nodes, name, () => new GraphNodes()).add(quad);
    // What says nothing of components would only take memory.
    if (!isSaid && predicate !== RDF_TYPE) return;
    this.#count(name);
    const graphs = at(this.#bySubject, subject, () => new Map<string, Quad[]>());
    at(graphs, name, () => []).push(quad);
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

function at<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  const value = map.get(key) ?? create();
  map.set(key, value);
  return value;
}
