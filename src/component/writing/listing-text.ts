import { remembered } from '../../lib/remembered.js';
import { LIST_FIELDS, type ListField, PLAIN_FIELDS, type PlainField, SINGLE_FIELDS } from '../fields.js';
import type { Metadata } from '../metadata.js';
import { componentAddress } from '../naming.js';
import { type Vocabulary, XSD_BOOLEAN } from '../vocabulary.js';

/** The values that lead to a component. */
export type FoundBy = Pick<Metadata, ListField>;

/** A component's object in a JSON listing in UTF-8, without what depends on the node: see `servedParts`. */
export interface ListingText extends Pick<Metadata, 'uri' | 'version' | 'latest'> {
  /** `{"@id":"/c/…","@type":…}`: the address lacks the node's `baseUrl`, and nobody is named who says it. */
  readonly bytes: Buffer;
  /** Where the plain names begin, in bytes; before them are the keys of the specification. */
  readonly names: number;
  /** Where the names of lists begin among them, with the comma before: these come last, and `readLists` reads them alone. */
  readonly lists: number;
}

/**
 * A component in a JSON listing: the keys of the specification, where even text stands under `@id`, and the same under
 * plain names, which `readPlain` reads. Fields without a value are left out. Each value is written once and used twice:
 * objects that `JSON.stringify` writes take more than twice the time. The order of the names stays as it is: an `ETag` that
 * a client has stands for these bytes.
 */
export function listingText(component: Metadata, vocabulary: Vocabulary): ListingText {
  const keys = keysOf(vocabulary);
  const { uri, version, latest } = component;
  let specification = `${ADDRESS}${jsonString(componentAddress('', uri)).slice(1)}${keys.type}`;
  let names = '';
  let behind = '';
  let lists = '';
  for (const field of SINGLE_FIELDS) {
    const value = component[field];
    if (value === undefined) continue;
    const isText = typeof value === 'string';
    const text = isText ? jsonString(value) : `${value}`;
    specification += `,${keys.of[field]}:[${isText ? `{"@id":${text}}` : `{"@value":"${text}","@type":${BOOLEAN}}`}]`;
    if (field === 'version' || field === 'latest') behind += `,"${field}":${text}`;
    else names += `,"${field}":${text}`;
  }
  if (component.capability) names += `,"capability":${JSON.stringify(component.capability)}`;
  for (const field of LIST_FIELDS) {
    const values = component[field];
    if (values.length === 0) continue;
    const texts = values.map(jsonString);
    specification += `,${keys.of[field]}:[{"@id":${texts.join('},{"@id":')}}]`;
    lists += `,"${field}":[${texts.join()}]`;
  }
  const single = `${specification}${names}${behind}`;
  const text = `${single}${lists}}`;
  const bytes = Buffer.from(text);
  const isAscii = bytes.length === text.length;
  const placeOf = (before: string) => (isAscii ? before.length : Buffer.byteLength(before));
  return { uri, version, latest, bytes, names: placeOf(specification) + 1, lists: placeOf(single) };
}

/**
 * The object as a node serves it, in parts that follow one another and share the bytes of the listing text.
 * @param opening the bytes of `openingOf(baseUrl)`: the same of everything that a node serves
 * @param provenance members that say who says it, with a comma behind each
 */
export function servedParts(
  { bytes, names }: ListingText,
  opening: Buffer,
  provenance: Buffer,
): readonly Buffer[] {
  return [opening, bytes.subarray(ADDRESS.length, names), provenance, bytes.subarray(names)];
}

export function openingOf(baseUrl: string): string {
  return `${ADDRESS}${baseUrl}`;
}

/** The object as a node serves it, as text. */
export function servedText(listed: ListingText, baseUrl: string, provenance: string): string {
  const parts = servedParts(listed, Buffer.from(openingOf(baseUrl)), Buffer.from(provenance));
  return Buffer.concat(parts).toString();
}

/** The same in this vocabulary: it is written anew where it is in another one. */
export function inVocabulary(listed: ListingText, vocabulary: Vocabulary): ListingText {
  const { typeBytes } = keysOf(vocabulary);
  const behindAddress = ADDRESS.length + Buffer.byteLength(componentAddress('', listed.uri)) + 1;
  const isSame =
    listed.bytes.compare(typeBytes, 0, typeBytes.length, behindAddress, behindAddress + typeBytes.length) ===
    0;
  return isSame ? listed : listingText(metadataOf(listed), vocabulary);
}

export function metadataOf({ bytes, names }: Pick<ListingText, 'bytes' | 'names'>): Metadata {
  return readPlain(bytes.toString('utf8', names));
}

const ADDRESS = '{"@id":"';
const BOOLEAN = JSON.stringify(XSD_BOOLEAN);

/** The keys of the specification as JSON, written once for each vocabulary. */
const keysOf = remembered((vocabulary: Vocabulary) => {
  const of = Object.fromEntries(
    PLAIN_FIELDS.map((field) => [field, jsonString(vocabulary.predicates[field])]),
  ) as Record<PlainField, string>;
  /** The member that tells the class, with the comma before it. */
  const type = `,"@type":[${jsonString(vocabulary.component)}]`;
  return { type, typeBytes: Buffer.from(type), of };
}, new WeakMap());

const NONE: readonly string[] = [];

/** Reads the metadata back from a listing object's plain names: the text from `names` to the end. */
export function readPlain(text: string): Metadata {
  return withLists(JSON.parse(`{${text}`));
}

/** Reads its lists alone: from the text from `lists` to the end. */
export function readLists(text: string): FoundBy {
  return withLists(JSON.parse(`{${text.slice(text.startsWith(',') ? 1 : 0)}`));
}

/** Lists without values are not written. */
function withLists<T extends FoundBy>(read: Writable<T>): T {
  read.author ??= NONE;
  read.tag ??= NONE;
  read.shapes ??= NONE;
  return read;
}

type Writable<T> = { -readonly [key in keyof T]: T[key] };

/** What `JSON.stringify` writes with a backslash, or may. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/;

/** A text as `JSON.stringify` writes it. Nearly every text needs no more than its quotes, and is written much faster so. */
function jsonString(text: string): string {
  return ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`;
}
