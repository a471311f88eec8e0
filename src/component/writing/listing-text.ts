import type { Metadata } from '../metadata.js';
import type { Naming } from '../naming.js';
import { specificationObject } from './listing-object.js';

/** The metadata by which most queries find components. */
export type Facets = Pick<Metadata, 'version' | 'latest' | 'author' | 'tag' | 'shapes'>;

/** A component's object in a JSON listing, as text. */
export interface ListingText {
  readonly text: string;
  /** Where the plain names begin, in bytes of the UTF-8 text; before them are the keys of the specification. */
  readonly plain: number;
  /** Length of the facets in characters; they are the last of the plain names, up to the end of the text. */
  readonly facets: number;
}

/**
 * A component in a JSON listing: the keys of the specification, and the same under plain names, such that `readPlain`
 * and `readFacets` can read parts of it. Fields without a value are left out.
 */
export function listingText(component: Metadata, naming: Naming): ListingText {
  const { uri, label, description, integrity, version, latest, author, tag, shapes } = component;
  const specification = JSON.stringify(specificationObject(component, naming));
  const names = JSON.stringify({ uri, label, description, integrity });
  const lists = { author: some(author), tag: some(tag), shapes: some(shapes) };
  const facets = JSON.stringify({ version, latest, ...lists });
  const separator = facets === '{}' ? '' : ',';
  return {
    text: `${specification.slice(0, -1)},${names.slice(1, -1)}${separator}${facets.slice(1)}`,
    plain: Buffer.byteLength(specification),
    facets: facets.length - 1,
  };
}

function some(list: readonly string[]): readonly string[] | undefined {
  return list.length === 0 ? undefined : list;
}

/** Reads the metadata back from a listing object's plain names: the text from `plain` to the end. */
export function readPlain(text: string): Metadata {
  return withLists(JSON.parse(`{${text}`));
}

/** Reads the facets alone: the last `facets` characters of the text. */
export function readFacets(text: string): Facets {
  return withLists(JSON.parse(`{${text}`));
}

const NONE: readonly string[] = [];

/** Lists without values are not written. */
function withLists<T extends Facets>(read: Writable<T>): T {
  read.author ??= NONE;
  read.tag ??= NONE;
  read.shapes ??= NONE;
  return read;
}

type Writable<T> = { -readonly [key in keyof T]: T[key] };
