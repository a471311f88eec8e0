import type { Quad } from '@rdfjs/types';
import { sizeOf } from '../../component/component-size.js';
import type { Metadata } from '../../component/metadata.js';
import { readSoundLines } from '../../component/rdf/n-quads-lines.js';
import { PARSED_MEDIA_TYPES, readRdf } from '../../component/rdf/rdf-parse.js';
import type { Described, FaultyDescription } from '../../component/reading/described.js';
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

/** Some of what one document of a peer says, as its listing or its feed tells it. */
export interface Statements {
  /** The name that the document has there; percent-encoded where that is no IRI. */
  readonly graph: string;
  /** The source of the peer that it belongs to (`sourceKey`), where the peer tells. */
  readonly of?: string;
  readonly components?: readonly Metadata[];
  /** The uri of a component that it does not describe any more. */
  readonly removed?: string;
  readonly invalid?: readonly FaultyDescription[];
  /** How many more of its descriptions are invalid. */
  readonly unnamed?: number;
  /** Why nothing of it can be taken. */
  readonly refused?: string;
}

/** Characters of some statements, or more. */
export function lengthOf({ graph, components = [], removed, invalid = [], refused }: Statements): number {
  let length = graph.length + (removed ?? '').length + (refused ?? '').length;
  for (const component of components) length += sizeOf(component);
  for (const { subject, faults } of invalid)
    for (const { detail } of faults) length += subject.length + detail.length;
  return length;
}

/** One page of a listing, as a peer sent it. */
interface ListingBody {
  readonly text: string;
  readonly mediaType: string;
  /** Where the addresses that the peer gives to components begin: its own URL and `/c/`. */
  readonly base: string;
  /** Of the vocabulary. */
  readonly namespace: string;
  /** Graphs at most. */
  readonly maxGraphs: number;
}

/** Reads one page of a peer's listing of components. */
export const listingTask: Task<ListingBody, readonly Statements[]> = {
  module: 'sync/peer/listing-task.js',
  name: 'listingTask',
  async *run(body) {
    yield* portions(await statementsIn(body), lengthOf);
  },
};

/** @throws MalformedInput for what is no listing of components */
async function statementsIn(body: ListingBody): Promise<Iterable<Statements>> {
  const { text, mediaType } = body;
  if (/[/+]json$/.test(mediaType) || (mediaType === '' && /^\s*[[{]/.test(text))) {
    const parsed = parseBoundedJson(text);
    const objects: readonly unknown[] = Array.isArray(parsed) ? parsed : [parsed];
    return objects.some(needsProcessor)
      ? statementsInRdf({ ...body, mediaType: 'application/ld+json' })
      : statementsInJson(objects, body);
  }
  if (PARSED_MEDIA_TYPES.includes(mediaType)) return statementsInRdf(body);
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
  let isRecognised = objects.length === 0;
  const read = () => describedInJson(objects, createVocabulary(namespace), base);
  for (const some of saidIn(LOCAL.url, read)) {
    // A description without a uri is named by its place.
    const invalid = some.invalid?.filter(({ subject }) => !subject.startsWith('#'));
    isRecognised ||= isAboutComponents({ ...some, invalid });
    yield some;
  }
  if (!isRecognised) throw new MalformedInput('it is JSON, and describes no components');
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

/** Why a listing that names more documents than are taken from one peer is not taken at all. */
export function tooManyDocuments(maxDocuments: number): string {
  return `it names more than ${maxDocuments} documents: raise sync.maxDocuments (${maxDocuments}) to take them`;
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

function isAboutComponents({ components = [], invalid = [], refused }: Statements): boolean {
  return refused !== undefined || components.length + invalid.length > 0;
}

/** Characters of a graph's name, at most. */
const LONGEST_NAME = 2048;
/** Characters of the names of all graphs on the average, at most: whose a graph is, is looked up by each part of its path. */
const AVERAGE_NAME = 200;
const NO_IRI = 'its name is no IRI (RFC 3987), so that nothing of it is taken';

/** What each graph says of components, or why nothing of it is taken. What is in no graph is the peer's own words. */
class Graphs {
  readonly #body: ListingBody;
  readonly #vocabulary: Vocabulary;
  readonly #graphs = new Map<string, Descriptions | string>();
  /** Of the names of all graphs. */
  #characters = 0;

  constructor(body: ListingBody) {
    this.#body = body;
    this.#vocabulary = createVocabulary(body.namespace);
  }

  add(quad: Quad): void {
    const { termType, value } = quad.graph;
    const name = termType === 'DefaultGraph' ? LOCAL.url : value;
    const known = this.#graphs.get(name);
    if (typeof known === 'object') known.add(quad);
    else if (known !== undefined) return;
    else if (termType === 'BlankNode' || !isName(name)) this.refuse(value, NO_IRI);
    else {
      const { base, text } = this.#body;
      const descriptions = new Descriptions(this.#vocabulary, base, text);
      this.#set(name, descriptions);
      descriptions.add(quad);
    }
  }

  /** From now on, nothing of a graph is taken. */
  refuse(graph: string, why: string): void {
    const name = percentEncoded(graph);
    if (isName(name) && typeof this.#graphs.get(name) !== 'string')
      this.#set(name, name === graph ? why : `${NO_IRI}: ${graph}`);
  }

  /** @throws MalformedInput at the end, for statements none of which is about components */
  *read(): Generator<Statements> {
    let isRecognised = this.#graphs.size === 0;
    for (const [graph, said] of this.#graphs) {
      const pieces = typeof said === 'string' ? [{ graph, refused: said }] : saidIn(graph, () => said.read());
      for (const some of pieces) {
        isRecognised ||= isAboutComponents(some);
        yield some;
      }
    }
    if (isRecognised) return;
    const { namespace } = this.#body;
    throw new MalformedInput(
      `it describes no components in the vocabulary <${namespace}>: does the peer use another one?`,
    );
  }

  #set(graph: string, said: Descriptions | string): void {
    const { maxGraphs } = this.#body;
    if (!this.#graphs.has(graph)) this.#characters += graph.length;
    this.#graphs.set(graph, said);
    if (this.#graphs.size > maxGraphs) throw new MalformedInput(tooManyDocuments(maxGraphs));
    if (this.#characters > maxGraphs * AVERAGE_NAME)
      throw new MalformedInput('the names of its documents are too long, taken together');
  }
}

function isName(graph: string): boolean {
  return graph.length <= LONGEST_NAME && isAbsoluteIri(graph);
}
