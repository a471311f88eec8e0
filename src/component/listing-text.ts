import { listingObject, type Naming } from './codec.js';
import type { Metadata } from './metadata.js';

/** The part of a listing object by which components are found. */
export type Facets = Pick<Metadata, 'version' | 'latest' | 'author' | 'tag' | 'shapes'>;

/** A component's object in a JSON listing, as text. Offsets are in bytes of its UTF-8 form. */
export interface ListingText {
  readonly text: string;
  /** Where the plain names begin; everything before them are the keys of the specification. */
  readonly plain: number;
  /** Where the facets begin, which are the last of the plain names. */
  readonly facets: number;
}

/** Writes a listing object such that `readPlain` and `readFacets` can read parts of it. */
export function listingText(component: Metadata, naming: Naming): ListingText {
  const object = listingObject(component, naming);
  const text = JSON.stringify(object);
  const { uri, label, description, version, latest, author, tag, shapes } = object;
  const facets = JSON.stringify({ version, latest, author, tag, shapes });
  const names = JSON.stringify({ uri, label, description });
  const bytes = Buffer.byteLength(text);
  const facetsAt = bytes - Buffer.byteLength(facets) + 1;
  // Between the names and the facets stands a comma where each name has its brace; without facets, nothing.
  const between = facets === '{}' ? 0 : 1;
  return { text, plain: facetsAt - between - Buffer.byteLength(names) + 2, facets: facetsAt };
}

/** Reads the metadata back from a listing object's plain names: the text from `plain` to the end. */
export function readPlain(text: string): Metadata {
  return { ...NO_LISTS, ...JSON.parse(`{${text}`) };
}

/** Reads the facets alone: the text from `facets` to the end. */
export function readFacets(text: string): Facets {
  return { ...NO_LISTS, ...JSON.parse(`{${text}`) };
}

const NO_LISTS = { author: [], tag: [], shapes: [] };
