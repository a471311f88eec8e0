import { DataFactory } from 'n3';
import { componentAddress, type Naming } from '../../component/naming.js';
import { createQuadWriter, type WrittenMediaType } from '../../component/rdf/rdf-write.js';
import { jsonLdObject } from '../../component/writing/json-ld-object.js';
import { listingText } from '../../component/writing/listing-text.js';
import { metadataToQuads } from '../../component/writing/metadata-quads.js';
import type { Answer } from '../../lib/http/resource.js';
import type { Body } from '../../lib/http/response/body.js';
import { pooledBody } from '../../lib/http/response/body-pool.js';
import type { Pace } from '../../lib/pace.js';
import type { Description } from '../../registry/description.js';
import type { Page, ReadyJson } from '../../registry/page.js';

/** Media types of components, the preferred one first. The last two have a named graph for each document. */
export const COMPONENT_TYPES = [
  'application/json',
  'application/ld+json',
  'text/turtle',
  'application/n-triples',
  'application/n-quads',
  'application/trig',
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

/** Length of the pieces in which a long listing is sent, in characters. */
const PIECE_LENGTH = 65_536;
/** A JSON page up to this size, in bytes, is sent in one piece. */
const SHORT_PAGE = 131_072;

export type ComponentsBody = Pick<Answer, 'body' | 'release'>;

/** What writing components depends on. */
export interface Writing {
  readonly naming: Naming;
  readonly pace: Pace;
}

/** JSON and N-Quads are UTF-8 by definition; for `text/*` the charset has to be named. */
export function contentTypeOf(type: ComponentType): string {
  return type === 'text/turtle' ? 'text/turtle; charset=utf-8' : type;
}

/** Does this representation show every description with its document, and not only the one that is served? */
export function isDataset(type: ComponentType): boolean {
  return type === 'application/n-quads' || type === 'application/trig';
}

/** The part of an entity tag that distinguishes the representations of one state. */
export function variantOf(type: ComponentType): string {
  return type.slice(type.indexOf('/') + 1);
}

/** The body of a page of components: whole when it is short, else in pieces with pauses for other requests between them. */
export async function pageBody(page: Page, type: ComponentType, writing: Writing): Promise<ComponentsBody> {
  if (type === 'application/json' && page.json) return readyBody(page.json, writing.pace);
  return { body: await streamed(page.descriptions(), type, writing) };
}

/** What a representation tells of a description. */
type Written = Omit<Description, 'since'>;

/** The body of a short list of components. */
export function componentsBody(
  components: readonly Written[],
  type: ComponentType,
  { naming }: Writing,
): string {
  const writer = createComponentWriter(type, naming);
  return writer.write(components) + writer.end();
}

/** The body of a single component: in JSON an object, not a list. */
export function componentBody(
  statements: readonly Description[],
  type: ComponentType,
  writing: Writing,
): string | Uint8Array {
  const [served] = statements;
  if (type === 'application/json' && served)
    return served.json ?? listingText(served.metadata, writing.naming).text;
  return componentsBody(isDataset(type) ? statements : statements.slice(0, 1), type, writing);
}

function readyBody(json: ReadyJson, pace: Pace): ComponentsBody {
  if (json.bytes > SHORT_PAGE) return { body: sized(json.bytes, paced(json.pieces(), pace)) };
  const { bytes, release } = pooledBody(json.bytes);
  json.copyTo(bytes);
  return { body: bytes, release };
}

function sized<T extends string | Uint8Array>(bytes: number, pieces: AsyncGenerator<T>): Body {
  return Object.assign(pieces, { bytes });
}

async function* paced<T>(pieces: Iterable<T>, pace: Pace): AsyncGenerator<T> {
  const breathe = pace();
  for (const piece of pieces) {
    yield piece;
    await breathe();
  }
}

/** A body that is complete after its first piece is sent whole, so that its length can be announced. */
async function streamed(
  slices: AsyncIterable<readonly Description[]>,
  type: ComponentType,
  { naming, pace }: Writing,
): Promise<Body> {
  const pieces = writtenPieces(slices, type, naming, pace);
  const first = await pieces.next();
  if (first.done) return '';
  const second = await pieces.next();
  if (second.done) return first.value;
  return (async function* () {
    yield first.value;
    yield second.value;
    yield* pieces;
  })();
}

async function* writtenPieces(
  slices: AsyncIterable<readonly Description[]>,
  type: ComponentType,
  naming: Naming,
  pace: Pace,
): AsyncGenerator<string> {
  const writer = createComponentWriter(type, naming);
  const breathe = pace();
  let piece = '';
  for await (const slice of slices) {
    for (const description of slice) {
      piece += writer.write([description]);
      if (piece.length < PIECE_LENGTH) continue;
      yield piece;
      piece = '';
      await breathe();
    }
    await breathe();
  }
  yield piece + writer.end();
}

/** Writes components one after another; the text is complete with what `end` returns. */
interface ComponentWriter {
  write(components: Iterable<Written>): string;
  end(): string;
}

function createComponentWriter(type: ComponentType, naming: Naming): ComponentWriter {
  if (type === 'application/json') {
    return arrayWriter(({ metadata }) => listingText(metadata, naming).text);
  }
  if (type === 'application/ld+json') {
    return arrayWriter(({ metadata }) => JSON.stringify(jsonLdObject(metadata, naming)));
  }
  return quadWriter(type, naming);
}

function arrayWriter(textOf: (component: Written) => string): ComponentWriter {
  let separator = '[';
  return {
    write(components) {
      let text = '';
      for (const component of components) {
        text += separator + textOf(component);
        separator = ',';
      }
      return text;
    },
    end: () => (separator === '[' ? '[]' : ']'),
  };
}

function quadWriter(type: WrittenMediaType & ComponentType, naming: Naming): ComponentWriter {
  const { vocabulary, baseUrl } = naming;
  const writer = createQuadWriter(type, vocabulary);
  const quadsOf = ({ metadata, document }: Written) =>
    isDataset(type)
      ? metadataToQuads(metadata, vocabulary, metadata.uri, DataFactory.namedNode(document))
      : metadataToQuads(metadata, vocabulary, componentAddress(baseUrl, metadata.uri));
  return {
    write(components) {
      let text = '';
      for (const component of components) text += writer.write(quadsOf(component));
      return text;
    },
    end: () => writer.end(),
  };
}
