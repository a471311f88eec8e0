import type { Quad } from '@rdfjs/types';
import { sizeOf } from '../../component/component-size.js';
import type { Metadata } from '../../component/metadata.js';
import { readSoundLines } from '../../component/rdf/n-quads-lines.js';
import { JSON_LD, PARSED_MEDIA_TYPES } from '../../component/rdf/parsed-as.js';
import { readRdf } from '../../component/rdf/rdf-parse.js';
import type { FaultyDescription } from '../../component/reading/described.js';
import { Descriptions, mayHaveCapabilities } from '../../component/reading/descriptions.js';
import { describedInJson } from '../../component/reading/json-descriptions.js';
import { LOCAL } from '../../component/source.js';
import { createVocabulary } from '../../component/vocabulary.js';
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

/** Characters of the name of a document, at most. */
export const LONGEST_NAME = 2048;
/** Why nothing is taken of a document whose name is none. */
export const NO_IRI = 'its name is no IRI (RFC 3987), so that nothing of it is taken';

/** One page of a listing, as a peer sent it. */
interface ListingBody {
  readonly text: string;
  readonly mediaType: string;
  /** Where the addresses that the peer gives to components begin: its own URL and `/c/`. */
  readonly base: string;
  /** Of the vocabulary. */
  readonly namespace: string;
}

/** What a document says of components, once it is read; or why nothing of it is taken. */
type Saying = Pick<Descriptions, 'read'> | string;

/** Reads one page of a peer's listing of components. */
export const listingTask: Task<ListingBody, { readonly statements: readonly Statements[] }> = {
  module: 'sync/peer/listing-task.js',
  name: 'listingTask',
  async run(body) {
    const statements: Statements[] = [];
    for (const [graph, said] of await documentsIn(body)) statements.push(...statementsIn(graph, said));
    // That nothing of it is about components is not to say that there are none.
    if (statements.length > 0 && !statements.some(isRecognised))
      throw new MalformedInput(
        `it describes no components in the vocabulary <${body.namespace}>: does the peer use another one?`,
      );
    return { statements };
  },
};

/** In JSON, a description without a uri is named by its place. */
function isRecognised({ components = [], invalid = [], refused }: Statements): boolean {
  const isNamed = components.length > 0 || invalid.some(({ subject }) => !subject.startsWith('#'));
  return isNamed || refused !== undefined;
}

/** In portions, as a document may be all of a listing. What is thrown while one is read fails that document alone. */
function* statementsIn(graph: string, said: Saying): Generator<Statements> {
  if (typeof said === 'string') return yield { graph, refused: said };
  try {
    const { components, ...others } = said.read();
    for (const portion of portions(components, sizeOf)) yield { graph, components: portion };
    yield { graph, ...others };
  } catch (error) {
    yield { graph, refused: wrongIn(error) };
  }
}

/** @throws MalformedInput for what is no listing */
async function documentsIn(body: ListingBody): Promise<ReadonlyMap<string, Saying>> {
  const { text, mediaType, base, namespace } = body;
  if (/[/+]json$/.test(mediaType)) {
    const parsed = parseBoundedJson(text);
    const objects: readonly unknown[] = Array.isArray(parsed) ? parsed : [parsed];
    if (objects.some(needsProcessor)) return graphsIn({ ...body, mediaType: JSON_LD });
    // It names no graphs, so that all of it counts as said by the peer itself.
    const read = () => describedInJson(objects, createVocabulary(namespace), base);
    return new Map(objects.length > 0 ? [[LOCAL.url, { read }]] : []);
  }
  if (PARSED_MEDIA_TYPES.includes(mediaType)) return graphsIn(body);
  throw new MalformedInput(`it is ${mediaType || 'of no media type'}, which is no listing of components`);
}

/** Does it take a JSON-LD processor to understand this? */
function needsProcessor(object: unknown): boolean {
  return typeof object === 'object' && object !== null && ('@context' in object || '@graph' in object);
}

/** By graph. What is in no graph is the peer's own words. */
async function graphsIn(body: ListingBody): Promise<ReadonlyMap<string, Saying>> {
  const { text, mediaType, base, namespace } = body;
  const vocabulary = createVocabulary(namespace);
  const hasCapabilities = mayHaveCapabilities(text);
  const graphs = new Map<string, Descriptions | string>();
  const refuse = (graph: string, why: string) => {
    const name = percentEncoded(graph);
    if (isName(name)) graphs.set(name, name === graph ? why : `${NO_IRI}: ${graph}`);
  };
  const add = (quad: Quad) => {
    const { termType, value } = quad.graph;
    const name = termType === 'DefaultGraph' ? LOCAL.url : termType === 'BlankNode' ? `_:${value}` : value;
    const known =
      graphs.get(name) ?? (isName(name) ? new Descriptions(vocabulary, base, hasCapabilities) : NO_IRI);
    if (typeof known === 'string') return refuse(name, known);
    graphs.set(name, known);
    known.add(quad);
  };
  try {
    await readRdf({ text, mediaType, baseIri: base, namespace }, add);
  } catch (error) {
    if (!(error instanceof MalformedInput) || mediaType !== 'application/n-quads') throw error;
    // Some lines are wrong: all graphs are read but those that these belong to.
    graphs.clear();
    readSoundLines(text, add, (graph = LOCAL.url, why) => refuse(graph, why));
  }
  return graphs;
}

function isName(graph: string): boolean {
  return graph.length <= LONGEST_NAME && isAbsoluteIri(graph);
}
