import { DataFactory } from 'n3';
import { componentAddress, jsonLdObject, metadataToQuads, type Naming } from '../component/codec.js';
import { createQuadWriter, type WrittenMediaType } from '../component/rdf-write.js';
import { type PooledBody, pooledBody } from '../lib/http/body-pool.js';
import type { Answer } from '../lib/http/resource.js';
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

export type ComponentsBody = Pick<Answer, 'body' | 'release'>;

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

/** A body of components: at once when they are few, else in pieces that give way to other requests in between. */
export function componentsBody(
  entries: Iterable<Entry>,
  type: ComponentType,
  naming: Naming,
): ComponentsBody {
  const few = Array.isArray(entries) && entries.length <= FEW;
  if (few && type === 'application/json') {
    const { bytes, release } = jsonArray(entries);
    return { body: bytes, release };
  }
  const pieces = componentPieces(entries, type, naming);
  return { body: few ? [...pieces].join('') : paced(pieces) };
}

/** A single component: alone where a representation is a list otherwise. */
export function componentBody(
  statements: readonly Entry[],
  type: ComponentType,
  naming: Naming,
): string | Uint8Array {
  const [served] = statements;
  if (type === 'application/json' && served) return served.bytes;
  return [...componentPieces(isDataset(type) ? statements : statements.slice(0, 1), type, naming)].join('');
}

function componentPieces(
  entries: Iterable<Entry>,
  type: ComponentType,
  naming: Naming,
): Iterable<string | Uint8Array> {
  if (type === 'application/json') return jsonPieces(entries);
  if (type === 'application/ld+json') return jsonLdPieces(entries, naming);
  return quadPieces(entries, type, naming);
}

/** Copies the listing objects of a few entries into one array. */
function jsonArray(entries: readonly Entry[]): PooledBody {
  const size = entries.reduce((sum, { length }) => sum + length + 1, 0);
  const pooled = pooledBody(Math.max(size + 1, 2));
  const array = pooled.bytes;
  let at = 0;
  for (const { block, start, length } of entries) {
    // With the comma that stands before it.
    at += block.bytes.copy(array, at, start - 1, start + length);
  }
  array[0] = OPENING;
  array[array.length - 1] = CLOSING;
  return pooled;
}

const OPENING = 0x5b;
const CLOSING = 0x5d;

function* jsonPieces(entries: Iterable<Entry>): Generator<Uint8Array> {
  let pieces: Uint8Array[] = [Buffer.of(OPENING)];
  let size = 0;
  let first = true;
  for (const { block, start, length } of entries) {
    pieces.push(block.bytes.subarray(first ? start : start - 1, start + length));
    first = false;
    size += length;
    if (size >= PIECE_LENGTH) {
      yield Buffer.concat(pieces);
      pieces = [];
      size = 0;
    }
  }
  yield Buffer.concat([...pieces, Buffer.of(CLOSING)]);
}

function* jsonLdPieces(entries: Iterable<Entry>, naming: Naming): Generator<string> {
  let piece = '[';
  let separator = '';
  for (const { metadata } of entries) {
    piece += separator + JSON.stringify(jsonLdObject(metadata, naming));
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

async function* paced<T>(pieces: Iterable<T>): AsyncGenerator<T> {
  const breathe = breather();
  for (const piece of pieces) {
    yield piece;
    await breathe();
  }
}
