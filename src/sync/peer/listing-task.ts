import type { Quad } from '@rdfjs/types';
import { readSoundLines } from '../../component/rdf/n-quads-lines.js';
import { PARSED_MEDIA_TYPES, readRdf } from '../../component/rdf/rdf-parse.js';
import type { Described } from '../../component/reading/described.js';
import { Descriptions } from '../../component/reading/descriptions.js';
import { describedInPortions } from '../../component/reading/document-tasks.js';
import { describedInJson } from '../../component/reading/json-descriptions.js';
import { LOCAL } from '../../component/source.js';
import { createVocabulary, type Vocabulary } from '../../component/vocabulary.js';
import { parseBoundedJson } from '../../lib/bounded-json.js';
import { MalformedInput } from '../../lib/faults.js';
import { isAbsoluteIri, percentEncoded } from '../../lib/iri.js';
import type { Task } from '../../lib/pool/task.js';
import { portions } from '../../lib/portions.js';
import { wrongIn } from '../failures.js';
import { lengthOf, NO_IRI, type Statements } from './statements.js';

/** One page of a listing, as a peer sent it. */
interface ListingBody {
  readonly text: string;
  readonly mediaType: string;
  /** Where the addresses that the peer gives to components begin: its own URL and `/c/`. */
  readonly base: string;
  /** Of the vocabulary. */
  readonly namespace: string;
}

export interface Listed {
  readonly statements: readonly Statements[];
}

/** Reads one page of a peer's listing of components. */
export const listingTask: Task<ListingBody, Partial<Listed>> = {
  module: 'sync/peer/listing-task.js',
  name: 'listingTask',
  async *run(body) {
    const read = recognised(await statementsIn(body), body.namespace);
    for (const statements of portions(read, lengthOf)) yield { statements };
  },
};

/** @throws MalformedInput at the end, for statements none of which is about components: the peer has not said that it has none */
function* recognised(read: Iterable<Statements>, namespace: string): Generator<Statements> {
  let [isAnything, isRecognised] = [false, false];
  for (const some of read) {
    const { components = [], invalid = [], refused } = some;
    isAnything = true;
    // In JSON, a description without a uri is named by its place.
    const isNamed = components.length > 0 || invalid.some(({ subject }) => !subject.startsWith('#'));
    isRecognised ||= isNamed || refused !== undefined;
    yield some;
  }
  if (isAnything && !isRecognised)
    throw new MalformedInput(
      `it describes no components in the vocabulary <${namespace}>: does the peer use another one?`,
    );
}

/** @throws MalformedInput for what is no listing */
async function statementsIn(body: ListingBody): Promise<Iterable<Statements>> {
  const { text, mediaType, base, namespace } = body;
  if (/[/+]json$/.test(mediaType) || (mediaType === '' && /^\s*[[{]/.test(text))) {
    const parsed = parseBoundedJson(text);
    const objects: readonly unknown[] = Array.isArray(parsed) ? parsed : [parsed];
    if (objects.some(needsProcessor)) return statementsInRdf({ ...body, mediaType: 'application/ld+json' });
    // It names no graphs, so that all of it counts as said by the peer itself.
    const read = () => describedInJson(objects, createVocabulary(namespace), base);
    return objects.length > 0 ? saidIn(LOCAL.url, read) : [];
  }
  if (PARSED_MEDIA_TYPES.includes(mediaType)) return statementsInRdf(body);
  throw new MalformedInput(`it is ${mediaType || 'of no media type'}, which is no listing of components`);
}

/** Does it take a JSON-LD processor to understand this? */
function needsProcessor(object: unknown): boolean {
  return typeof object === 'object' && object !== null && ('@context' in object || '@graph' in object);
}

/** What a graph says, in pieces. What is thrown while one document is read fails that document alone. */
function* saidIn(graph: string, read: () => Described): Generator<Statements> {
  let described: Described;
  try {
    described = read();
  } catch (error) {
    yield { graph, refused: wrongIn(error) };
    return;
  }
  for (const piece of describedInPortions(described)) yield { graph, ...piece };
}

/** Reads all statements; where some lines of N-Quads are wrong, those of all other graphs. */
async function statementsInRdf(body: ListingBody): Promise<Iterable<Statements>> {
  const { text, mediaType, base: baseIri, namespace } = body;
  const graphs = new Graphs(body);
  try {
    await readRdf({ text, mediaType, baseIri, namespace }, (quad) => graphs.add(quad));
    return graphs.read();
  } catch (error) {
    if (!(error instanceof MalformedInput) || mediaType !== 'application/n-quads') throw error;
    const sound = new Graphs(body);
    readSoundLines(
      text,
      (quad) => sound.add(quad),
      (graph, why) => sound.refuse(graph ?? LOCAL.url, why),
    );
    return sound.read();
  }
}

/** Characters of a graph's name, at most. */
const LONGEST_NAME = 2048;

/** What each graph says of components, or why nothing of it is taken. What is in no graph is the peer's own words. */
class Graphs {
  readonly #graphs = new Map<string, Descriptions | string>();
  readonly #vocabulary: Vocabulary;

  constructor(readonly body: ListingBody) {
    this.#vocabulary = createVocabulary(body.namespace);
  }

  add(quad: Quad): void {
    const { termType, value } = quad.graph;
    const name = termType === 'DefaultGraph' ? LOCAL.url : termType === 'BlankNode' ? `_:${value}` : value;
    const known = this.#graphs.get(name);
    if (typeof known === 'object') known.add(quad);
    else if (known === undefined && isName(name)) {
      const { base, text } = this.body;
      const descriptions = new Descriptions(this.#vocabulary, base, text);
      this.#graphs.set(name, descriptions);
      descriptions.add(quad);
    } else if (known === undefined) this.refuse(name, NO_IRI);
  }

  /** From now on, nothing of a graph is taken. */
  refuse(graph: string, why: string): void {
    const name = percentEncoded(graph);
    if (isName(name)) this.#graphs.set(name, name === graph ? why : `${NO_IRI}: ${graph}`);
  }

  *read(): Generator<Statements> {
    for (const [graph, said] of this.#graphs)
      if (typeof said === 'string') yield { graph, refused: said };
      else yield* saidIn(graph, () => said.read());
  }
}

function isName(graph: string): boolean {
  return graph.length <= LONGEST_NAME && isAbsoluteIri(graph);
}
