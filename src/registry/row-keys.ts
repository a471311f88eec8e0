import { hash } from 'node:crypto';
import { documentKey } from '../catalog/entry.js';
import type { Removal } from '../catalog/removal.js';
import { type PinSubject, pinKey } from '../component/pin.js';
import { LOCAL, type Source, sourceKey } from '../component/source.js';

/** Bytes of names that are keys as they are; a keep takes 1,200 for the whole key. */
const LONGEST = { source: 450, document: 700, other: 1_000 } as const;
/** Characters that are kept of a longer one, so that keys keep the order of names as far as they can. */
const KEPT = 130;

function isLonger(name: string, longest: number): boolean {
  return Buffer.byteLength(name) > longest;
}

/** A key for a name of any length: the name itself, or its beginning and its hash. */
function keyOf(name: string, longest: number = LONGEST.other): string {
  return isLonger(name, longest) ? `${name.slice(0, KEPT).toWellFormed()}#${hashOf(name)}` : name;
}

function hashOf(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 27);
}

export function sourceRowKey(source: Source): string {
  return keyOf(sourceKey(source), LONGEST.source);
}

/** Of a row about a part of a source. @param name of a document, or of what documents belong to (`DocumentRecord.of`) */
export function partRowKey(source: Source, name: string): string {
  return `${sourceRowKey(source)} ${keyOf(name, LONGEST.document)}`;
}

/** The key of the row of the source that a part belongs to: it has one space. */
export function sourceOfPart(key: string): string {
  return key.slice(0, key.indexOf(' ', key.indexOf(' ') + 1));
}

export function pinRowKey(subject: PinSubject): string {
  return keyOf(pinKey(subject));
}

export type StatementName = Pick<Removal, 'source' | 'document' | 'uri'>;

/** Keys of statements are in the order of uris, so that a start can build the listing while it reads. */
export function statementRowKey(name: StatementName): string {
  const { uri } = name;
  const beginning = isLonger(uri, LONGEST.other) ? uri.slice(0, KEPT).toWellFormed() : uri;
  return `${beginning} ${hashOf(`${documentKey(name)}\n${uri}`)}`;
}

/** The uri of a statement, or its beginning where it is long. */
export function uriOfRowKey(key: string): string {
  return key.slice(0, key.lastIndexOf(' '));
}

/**
 * The name of the graph that holds what one source's document says. The document's own URL would not do: two pods may overlap, and
 * two peers may relay the same document.
 */
export function graphName(source: Source, document: string): string {
  if (source.kind === 'local') return LOCAL.url;
  return `urn:registry:document:${encodeURIComponent(sourceKey(source))}:${encodeURIComponent(document)}`;
}
