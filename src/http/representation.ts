import { DataFactory } from 'n3';
import { componentAddress, jsonLdObject, metadataToQuads, type Naming } from '../component/codec.js';
import { createQuadWriter, type WrittenMediaType } from '../component/rdf-write.js';
import { breather } from '../lib/slices.js';
import type { Entry } from '../store/catalog.js';

/** Media types of components, the preferred one first. The last two hold every source's statements apart. */
export const COMPONENT_TYPES = [
  'application/json',
  'application/ld+json',
  'text/turtle',
  'application/n-triples',
  'application/n-quads',
  'application/trig',
] as const;
export type ComponentType = (typeof COMPONENT_TYPES)[number];

/** How many characters are sent at a time, and how many entries are so few that they are sent at once. */
const PIECE_LENGTH = 65_536;
const FEW = 200;

/** JSON and N-Quads are UTF-8 by definition; `text/*` without a charset is read as anything. */
export function contentTypeOf(type: ComponentType): string {
  return type === 'text/turtle' ? 'text/turtle; charset=utf-8' : type;
}

/** Does this representation name the sources, rather than show the one description that is served? */
export function isDataset(type: ComponentType): boolean {
  return type === 'application/n-quads' || type === 'application/trig';
}

/** The variant of a representation in entity tags. */
export function variantOf(type: ComponentType): string {
  return type.slice(type.indexOf('/') + 1);
}

/** A body of components: a text when they are few, else pieces that give way to other requests in between. */
export function componentsBody(
  entries: Iterable<Entry>,
  type: ComponentType,
  naming: Naming,
): string | AsyncIterable<string> {
  const pieces = componentPieces(entries, type, naming);
  return Array.isArray(entries) && entries.length <= FEW ? [...pieces].join('') : paced(pieces);
}

/** A single component: alone where a representation is a list otherwise. */
export function componentBody(statements: readonly Entry[], type: ComponentType, naming: Naming): string {
  const [served] = statements;
  if (type === 'application/json' && served) return served.json;
  return [...componentPieces(isDataset(type) ? statements : statements.slice(0, 1), type, naming)].join('');
}

function componentPieces(entries: Iterable<Entry>, type: ComponentType, naming: Naming): Iterable<string> {
  if (type === 'application/json') return arrayPieces(entries, ({ json }) => json);
  if (type === 'application/ld+json') {
    return arrayPieces(entries, ({ metadata }) => JSON.stringify(jsonLdObject(metadata, naming)));
  }
  return quadPieces(entries, type, naming);
}

function* arrayPieces(entries: Iterable<Entry>, serialise: (entry: Entry) => string): Generator<string> {
  let piece = '[';
  let separator = '';
  for (const entry of entries) {
    piece += separator + serialise(entry);
    separator = ',';
    if (piece.length >= PIECE_LENGTH) {
      yield piece;
      piece = '';
    }
  }
  yield `${piece}]`;
}

function* quadPieces(entries: Iterable<Entry>, type: WrittenMediaType, naming: Naming): Generator<string> {
  const writer = createQuadWriter(type, naming.vocabulary);
  let piece = '';
  for (const { metadata, document } of entries) {
    const quads = isDataset(type)
      ? metadataToQuads(metadata, naming.vocabulary, metadata.uri, DataFactory.namedNode(document))
      : metadataToQuads(metadata, naming.vocabulary, componentAddress(naming.baseUrl, metadata.uri));
    piece += writer.write(quads);
    if (piece.length >= PIECE_LENGTH) {
      yield piece;
      piece = '';
    }
  }
  yield piece + writer.end();
}

async function* paced(pieces: Iterable<string>): AsyncGenerator<string> {
  const breathe = breather();
  for (const piece of pieces) {
    yield piece;
    await breathe();
  }
}
