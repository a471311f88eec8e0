import { DataFactory } from 'n3';
import type { Catalog, Page } from '../catalog/catalog.js';
import type { Description } from '../catalog/description.js';
import { componentAddress, type Naming } from '../component/naming.js';
import { createQuadWriter } from '../component/rdf/rdf-write.js';
import { attributionQuads, pinText, sinceText, sourceText } from '../component/writing/attribution.js';
import { jsonLdNodes } from '../component/writing/json-ld-nodes.js';
import { listingText, servedText } from '../component/writing/listing-text.js';
import { metadataToQuads } from '../component/writing/metadata-quads.js';
import type { Cacheable } from '../lib/http/cacheable.js';
import { chooseRepresentation } from '../lib/http/headers/negotiate.js';
import { NEWLINE } from '../lib/http/json-answer.js';
import { type Body, bodyOfTexts, inPieces } from '../lib/http/response/body.js';
import type { Pace } from '../lib/pace.js';
import type { EntityTag } from './entity-tags.js';

/** Media types with named graphs. */
export const DATASET_TYPES = ['application/n-quads', 'application/trig'] as const;
/** Media types of components, the preferred one first. */
export const COMPONENT_TYPES = [
  'application/json',
  'application/ld+json',
  'text/turtle',
  'application/n-triples',
  ...DATASET_TYPES,
] as const;
export type ComponentType = (typeof COMPONENT_TYPES)[number];

/** The names by which links choose a representation, where no `Accept` header can be sent; those of files. */
export const FORMATS: ReadonlyMap<string, ComponentType> = new Map([
  ['json', 'application/json'],
  ['jsonld', 'application/ld+json'],
  ['ttl', 'text/turtle'],
  ['nt', 'application/n-triples'],
  ['nq', 'application/n-quads'],
  ['trig', 'application/trig'],
]);
/** How components are sent. */
export type Representation =
  | { readonly type: ComponentType; readonly graphs: 'default' }
  /** Every description with its document as the graph, and not only those that are served. */
  | { readonly type: (typeof DATASET_TYPES)[number]; readonly graphs: 'all' };

/**
 * The representation of components that a request asks for: the one that its parameters name (`type`), else by its
 * `Accept` header. Only datasets can have all graphs.
 * @throws Problem 406 that lists the representations, when the client accepts none
 */
export function chosenRepresentation(
  accept: string | null | undefined,
  { graphs, type }: { readonly graphs: Representation['graphs']; readonly type?: ComponentType | undefined },
): Representation {
  if (graphs === 'all') {
    const named = DATASET_TYPES.find((dataset) => dataset === type);
    return { type: named ?? chooseRepresentation(accept, DATASET_TYPES), graphs };
  }
  return { type: type ?? chooseRepresentation(accept, COMPONENT_TYPES), graphs };
}

/** A JSON page up to this size, in bytes, is sent in one piece. */
const SHORT_PAGE = 131_072;

/** What writing components depends on. */
export interface Writing {
  readonly naming: Naming;
  readonly pace: Pace;
}

/** What answers about what is stored are made with. */
export interface Serving {
  readonly catalog: Catalog;
  readonly pace: Pace;
  readonly entityTag: EntityTag;
  readonly cacheable: Cacheable;
}

/** JSON and N-Quads are UTF-8 by definition; for `text/*` the charset has to be named. */
export function contentTypeOf(type: ComponentType): string {
  return type === 'text/turtle' ? 'text/turtle; charset=utf-8' : type;
}

/** The part of an entity tag that distinguishes the representations of one state. */
export function variantOf({ type, graphs }: Representation): string {
  return type.slice(type.indexOf('/') + 1) + (graphs === 'all' ? '-all' : '');
}

/** The body of a page of components: whole when it is short, else in pieces with pauses for other requests between them. */
export async function pageBody(page: Page, representation: Representation, pace: Pace): Promise<Body> {
  const { json } = page;
  if (representation.type === 'application/json' && json) {
    const { bytes } = json;
    return bytes > SHORT_PAGE ? Object.assign(withPauses(json.pieces(), pace), { bytes }) : json.whole();
  }
  return listBody(page.descriptions(), representation, { naming: page.state.naming, pace });
}

/** What a representation tells of a description. */
export type Written = Omit<Description, 'json' | 'class' | 'rank'>;

/** The body of a list of components that come in slices, made with pauses for other requests. */
export function listBody(
  slices: AsyncIterable<readonly Written[]> | Iterable<readonly Written[]>,
  representation: Representation,
  { naming, pace }: Writing,
): Promise<Body> {
  const writer = createComponentWriter(representation, naming);
  const written = async function* () {
    for await (const slice of slices) yield texts(slice, writer);
    yield [writer.end()];
  };
  return bodyOfTexts(inPieces(written(), pace()));
}

/** The body of a single component: in JSON an object, not a list. A component may have thousands of descriptions. */
export function componentBody(
  statements: readonly Description[],
  representation: Representation,
  writing: Writing,
): Body | Promise<Body> {
  if (representation.graphs === 'all') return listBody([statements], representation, writing);
  const [served] = statements;
  if (representation.type === 'application/json' && served) {
    return served.json ? Buffer.concat([served.json, NEWLINE]) : `${objectText(served, writing.naming)}\n`;
  }
  const writer = createComponentWriter(representation, writing.naming);
  return (served ? writer.write(served) : '') + writer.end();
}

async function* withPauses<T>(pieces: Iterable<T>, pace: Pace): AsyncGenerator<T> {
  const breathe = pace();
  for (const piece of pieces) {
    yield piece;
    await breathe();
  }
}

function* texts(components: Iterable<Written>, writer: ComponentWriter): Generator<string> {
  for (const component of components) yield writer.write(component);
}

/** Writes components one after another; the text is complete with what `end` returns. */
interface ComponentWriter {
  write(component: Written): string;
  end(): string;
}

function createComponentWriter({ type, graphs }: Representation, naming: Naming): ComponentWriter {
  const { vocabulary, baseUrl } = naming;
  if (type === 'application/json') return arrayWriter((component) => objectText(component, naming));
  const quadsOf = (component: Written) => {
    const { metadata, document } = component;
    if (graphs === 'all')
      return metadataToQuads(metadata, vocabulary, metadata.uri, DataFactory.namedNode(document));
    const address = componentAddress(baseUrl, metadata.uri);
    const said = attributionQuads(component, vocabulary, address);
    return [...metadataToQuads(metadata, vocabulary, address), ...said];
  };
  if (type === 'application/ld+json')
    return arrayWriter((component) => JSON.stringify(jsonLdNodes(quadsOf(component))[0]));
  const writer = createQuadWriter(type, vocabulary);
  return { write: (component) => writer.write(quadsOf(component)), end: () => writer.end() };
}

/** A component in a JSON listing, as the catalog holds it ready. */
export function objectText(component: Written, naming: Naming): string {
  const provenance = pinText(component.pin) + sourceText(component) + sinceText(component.since);
  return servedText(listingText(component.metadata, naming.vocabulary), naming.baseUrl, provenance);
}

function arrayWriter(textOf: (component: Written) => string): ComponentWriter {
  let separator = '[';
  return {
    write(component) {
      const text = separator + textOf(component);
      separator = ',';
      return text;
    },
    end: () => (separator === '[' ? '[]\n' : ']\n'),
  };
}
