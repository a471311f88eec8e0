import type { Metadata } from '../../../component/metadata.js';
import type { Naming } from '../../../component/naming.js';
import { type Facets, listingText, readFacets } from '../../../component/writing/listing-text.js';
import type { EntryFacts } from '../listing/entry.js';

/** The two numbers of a `ListingText`, of eight hexadecimal digits each; then the object itself. */
const HEAD = 16;

/** Uris have no spaces, and every character that they may have sorts behind one: rows are in the order of uris. */
export function statementKey(uri: string, graph: number): string {
  return `${uri} ${graph.toString(36)}`;
}

export function readStatementKey(key: string): { uri: string; graph: number } {
  const space = key.lastIndexOf(' ');
  return { uri: key.slice(0, space), graph: Number.parseInt(key.slice(space + 1), 36) };
}

/** The row that is kept beside the quads of a statement, so that a start need not put them together again. */
export function statementRow(metadata: Metadata, naming: Naming): string {
  const { text, plain, facets } = listingText(metadata, naming);
  return `${hexadecimal(plain)}${hexadecimal(facets)}${text}`;
}

export interface StatementRow extends EntryFacts {
  /** The listing object. */
  readonly text: string;
  readonly facets: Facets;
}

export function readStatementRow(row: string): StatementRow {
  const plain = Number.parseInt(row.slice(0, HEAD / 2), 16);
  const facets = readFacets(row.slice(-Number.parseInt(row.slice(HEAD / 2, HEAD), 16)));
  return { text: row.slice(HEAD), plain, facets, version: facets.version, latest: facets.latest };
}

function hexadecimal(number: number): string {
  return number.toString(16).padStart(HEAD / 2, '0');
}
