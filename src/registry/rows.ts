import type { Revision } from '../catalog/catalog.js';
import type { Stamp } from '../catalog/entry.js';
import type { StateBlock } from '../catalog/remembered-states.js';
import type { Removal } from '../catalog/removal.js';
import type { Source } from '../component/source.js';
import type { ListingText } from '../component/writing/listing-text.js';
import type { DocumentRecord } from '../core/document-record.js';
import type { NetworkLists } from '../core/network-lists.js';
import type { SourceRecord } from '../core/source-record.js';
import type { Row } from '../keep/keep.js';
import { type StoredRow, sealedRow } from '../keep/stored-row.js';
import { LtHash } from '../lib/lt-hash.js';
import { partRowKey, type StatementName, statementRowKey } from './row-keys.js';
import type { Serving } from './serving.js';

/** Raised by a change that older software would misread. */
export const SCHEMA = 14;

/** What the registry keeps, in the order in which a start wants to read it. */
export const TABLES = ['meta', 'source', 'hash', 'document', 'pin', 'state', 'removal', 'statement'] as const;

/** A point in the history of answers. Its epoch is that of the keep. */
export type RevisionRow = Omit<Revision, 'epoch'>;

/** Where the registry stands. */
export interface Meta {
  readonly schema: number;
  readonly revision: RevisionRow;
  readonly networkRevision: RevisionRow;
  /** See `Feed`. */
  readonly position: number;
  /** Of the latest position, ms since the Unix epoch. */
  readonly at: number;
  /** Removals up to this position are forgotten. */
  readonly purged: number;
}

export interface SourceRow {
  readonly source: Source;
  readonly record: SourceRecord;
  /** Of the summary in the feed: `SourceSummary`. */
  readonly rank: number;
  readonly position: number;
  /** Sum of the seals of the rows of its statements: a start that finds others has lost some. */
  readonly seals: number;
}

/** What the documents of a source with the same `of` say, together. */
export interface HashRow {
  readonly of: string;
  readonly hash: LtHash;
}

export interface DocumentRow extends Pick<StatementName, 'source' | 'document'> {
  readonly record: DocumentRecord;
}

export interface StatementRow extends Pick<StatementName, 'source' | 'document'> {
  readonly listed: ListingText;
  readonly position: number;
  readonly stamp: Stamp;
  /** Of the row, as 32 bits with a sign. */
  readonly seal: number;
}

/** A row as JSON, or the end of one. */
export function rowOf(table: (typeof TABLES)[number], key: string, value: object | undefined): Row {
  return { table, key, value: value && JSON.stringify(value) };
}

/** What there is one of. `checked`: when quads were compared with rows last. */
export interface Single {
  readonly registry: Meta;
  readonly serving: Serving;
  readonly network: NetworkLists;
  readonly checked: { readonly at: number };
}

export function metaRow<N extends keyof Single>(name: N, value: Single[N]): Row {
  return rowOf('meta', name, value);
}

export function hashRow(source: Source, of: string, hash: LtHash | undefined): Row {
  return rowOf('hash', partRowKey(source, of), hash && { of, hash: hash.serialized() });
}

/** @param record null when the document is gone */
export function documentRow(source: Source, document: string, record: DocumentRecord | null): Row {
  return rowOf('document', partRowKey(source, document), record ? { source, document, record } : undefined);
}

/** The number of a block has a fixed length, so that keys keep their order. */
export function stateRow(block: number, lines: StateBlock): Row {
  return rowOf('state', block.toString().padStart(6, '0'), { lines });
}

/** That a statement is no longer made. */
export function removalRows({ position, at, source: { kind, url }, document, uri }: Removal): Row[] {
  const removal = { position, at, source: { kind, url }, document, uri };
  const key = statementRowKey(removal);
  return [rowOf('statement', key, undefined), rowOf('removal', key, removal)];
}

/**
 * Three lines: who says it, which is the same of thousands of rows; what a start needs at hand; and the listing object as it is
 * served, which is copied and not parsed. JSON has no line breaks.
 */
export function statementRow(row: Omit<StatementRow, 'seal'>): StoredRow {
  const { source, document, listed, position, stamp } = row;
  const { bytes, ...places } = listed;
  const lines = [
    { source, document },
    { position, ...stamp, ...places },
  ].map((line) => JSON.stringify(line));
  const content = Buffer.concat([Buffer.from(`${lines.join('\n')}\n`), bytes]);
  return sealedRow('statement', statementRowKey({ source, document, uri: listed.uri }), content);
}

const LINE_FEED = 10;

/** Reads one statement after another. */
export class StatementReader {
  /** By their lines: parsed once, as thousands of rows have the same. */
  readonly #places = new Map<string, Pick<StatementRow, 'source' | 'document'>>();

  read({ bytes: row, seal }: Pick<StoredRow, 'bytes' | 'seal'>): StatementRow {
    const end = row.indexOf(LINE_FEED);
    const text = row.indexOf(LINE_FEED, end + 1) + 1;
    const line = row.toString('latin1', 0, end);
    let place = this.#places.get(line);
    if (!place) {
      place = JSON.parse(row.toString('utf8', 0, end)) as Pick<StatementRow, 'source' | 'document'>;
      this.#places.set(line, place);
    }
    const { source, document } = place;
    // Taken one by one: this is what a start does most often, and a rest of an object costs three times as much.
    const head = JSON.parse(row.toString('utf8', end + 1, text));
    const { position, at, isUpdate, since, uri, version, latest, names, lists } = head;
    const stamp = since === undefined ? { at, isUpdate } : { at, isUpdate, since };
    const listed = { uri, version, latest, names, lists, bytes: row.subarray(text) };
    return { source, document, position, stamp, listed, seal: seal | 0 };
  }
}

/** What `hashRow` wrote, parsed. @throws SyntaxError */
export function readHash({ of, hash: text }: Record<keyof HashRow, never>): HashRow {
  const hash = LtHash.parse(text);
  if (!hash) throw new SyntaxError('A digest cannot be read');
  return { of, hash };
}
