import type { Naming } from '../component/codec.js';
import { type Facets, listingText, readFacets } from '../component/listing-text.js';
import type { Metadata } from '../component/metadata.js';
import { Block, Entry, type Origin } from './entry.js';
import type { SharedTexts } from './shared-texts.js';

/** Two offsets of four bytes, then a comma and the listing object: as it will lie in a block. */
const HEAD = 8;

/** The row that is kept beside the quads of one statement, so that a start need not put them together. */
export interface StatementRow {
  readonly uri: string;
  /** The number of the graph that the statement stands in. */
  readonly graph: number;
  readonly bytes: Buffer;
}

/** Uris have no spaces, and every character that they may have sorts behind one: rows are in the order of uris. */
export function statementKey(uri: string, graph: number): string {
  return `${uri} ${graph.toString(36)}`;
}

export function readStatementKey(key: string): { uri: string; graph: number } {
  const space = key.lastIndexOf(' ');
  return { uri: key.slice(0, space), graph: Number.parseInt(key.slice(space + 1), 36) };
}

export function statementBytes(metadata: Metadata, naming: Naming): Buffer {
  const { text, plain, facets } = listingText(metadata, naming);
  const bytes = Buffer.allocUnsafe(HEAD + 1 + Buffer.byteLength(text));
  bytes.writeUInt32LE(plain, 0);
  bytes.writeUInt32LE(facets, 4);
  bytes.write(`,${text}`, HEAD);
  return bytes;
}

/** An entry on the bytes of a row. They are not copied. */
export function entryOfRow(
  bytes: Buffer,
  origin: Origin,
  versions: SharedTexts,
): { entry: Entry; facets: Facets } {
  const [plain, facetsAt] = [bytes.readUInt32LE(0), bytes.readUInt32LE(4)];
  const facets = readFacets(bytes.toString('utf8', HEAD + 1 + facetsAt));
  const place = { block: new Block(bytes, []), start: HEAD + 1, length: bytes.length - HEAD - 1 };
  const entry = new Entry(origin, place, {
    plain,
    version: versions.share(facets.version),
    latest: facets.latest,
  });
  return { entry, facets };
}
