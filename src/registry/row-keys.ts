import { hash } from 'node:crypto';
import { type PinSubject, pinKey } from '../component/pin.js';
import { type Source, sourceKey } from '../component/source.js';

/** Bytes of a name that is a key as it is; a keep takes 1,200 for the whole key. */
const LONGEST = 1_000;
/** Characters that are kept of a longer one, so that keys keep the order of names as far as they can. */
const KEPT = 250;

/** A key for a name of any length: the name itself, or its beginning and its hash. */
function keyOf(name: string): string {
  if (Buffer.byteLength(name) <= LONGEST) return name;
  return `${beginningOf(name)}#${hashOf(name)}`;
}

function beginningOf(name: string): string {
  return name.slice(0, KEPT).toWellFormed();
}

function hashOf(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 27);
}

export function sourceRowKey(source: Source): string {
  return keyOf(sourceKey(source));
}

/** @param of see `DocumentRecord.of` */
export function hashRowKey(source: Source, of: string): string {
  return keyOf(`${sourceKey(source)} ${of}`);
}

/** @param document see `documentKey` of the catalog */
export function documentRowKey(document: string): string {
  return keyOf(document);
}

export function pinRowKey(subject: PinSubject): string {
  return keyOf(pinKey(subject));
}

/** Keys of statements are in the order of uris, so that a start can build the listing while it reads. */
export function statementRowKey(uri: string, document: string): string {
  const beginning = Buffer.byteLength(uri) <= LONGEST ? uri : beginningOf(uri);
  return `${beginning} ${hashOf(`${document}\n${uri}`)}`;
}

/** The uri of a statement, or its beginning where it is long. */
export function uriOfRowKey(key: string): string {
  return key.slice(0, key.lastIndexOf(' '));
}

/** States are kept in blocks; a number in a key of a fixed length keeps their order. */
export function blockRowKey(block: number): string {
  return block.toString().padStart(12, '0');
}
