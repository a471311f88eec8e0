import type { Naming } from '../component/codec.js';
import { type Facets, listingText, readFacets } from '../component/listing-text.js';
import type { Metadata } from '../component/metadata.js';
import { Block, Entry, type Origin } from './entry.js';
import type { SharedTexts } from './shared-texts.js';

/** Two offsets of eight hexadecimal digits, then a comma and the listing object: as it will lie in a block. */
const HEAD = 16;

/** Uris have no spaces, and every character that they may have sorts behind one: rows are in the order of uris. */
export function statementKey(uri: string, graph: number): string {
  return `${uri} ${graph.toString(36)}`;
}

export function readStatementKey(key: string): { uri: string; graph: number } {
  const space = key.lastIndexOf(' ');
  return { uri: key.slice(0, space), graph: Number.parseInt(key.slice(space + 1), 36) };
}

export function statementText(metadata: Metadata, naming: Naming): string {
  const { text, plain, facets } = listingText(metadata, naming);
  return `${hexadecimal(plain)}${hexadecimal(facets)},${text}`;
}

/** An entry on the bytes of a row. They are not copied. */
export function entryOfRow(
  bytes: Buffer,
  origin: Origin,
  versions: SharedTexts,
): { entry: Entry; facets: Facets } {
  const offsets = bytes.toString('latin1', 0, HEAD);
  const plain = Number.parseInt(offsets.slice(0, HEAD / 2), 16);
  const facetsAt = Number.parseInt(offsets.slice(HEAD / 2), 16);
  const facets = readFacets(bytes.toString('utf8', HEAD + 1 + facetsAt));
  const place = { block: new Block(bytes, []), start: HEAD + 1, length: bytes.length - HEAD - 1 };
  const entry = new Entry(origin, place, {
    plain,
    version: versions.share(facets.version),
    latest: facets.latest,
  });
  return { entry, facets };
}

function hexadecimal(number: number): string {
  return number.toString(16).padStart(HEAD / 2, '0');
}
