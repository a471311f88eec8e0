import { type Naming, specificationObject } from './codec.js';
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

/** Writes `listingObject` such that `readPlain` and `readFacets` can read parts of it. */
export function listingText(component: Metadata, naming: Naming): ListingText {
  const { uri, label, description, version, latest, author, tag, shapes } = component;
  const specification = JSON.stringify(specificationObject(component, naming));
  const names = JSON.stringify({ uri, label, description });
  const lists = { author: some(author), tag: some(tag), shapes: some(shapes) };
  const facets = JSON.stringify({ version, latest, ...lists });
  const separator = facets === '{}' ? '' : ',';
  const plain = Buffer.byteLength(specification);
  return {
    text: `${specification.slice(0, -1)},${names.slice(1, -1)}${separator}${facets.slice(1)}`,
    plain,
    facets: plain + Buffer.byteLength(names) - 2 + separator.length,
  };
}

function some(list: readonly string[]): readonly string[] | undefined {
  return list.length === 0 ? undefined : list;
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
