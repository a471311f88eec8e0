import { type PinSubject, pinKey } from '../../../component/pin.js';
import { type Source, sourceKey, sourceOfKey } from '../../../component/source.js';
import type { StoredPin } from '../../../core/pins.js';
import type { DocumentRecord } from '../../../registry/document-record.js';
import type { SourceRecord } from '../../../registry/source-record.js';
import type { Row } from './quad-store.js';

/**
 * Version of the layout on disk; a change that older software would misread raises it. Release 0.2.0 wrote version 7, and
 * left rows in it that repeat the metadata of statements: these are read, too, until the check of quads replaces them.
 */
export const SCHEMA_VERSION = 7;

type MetaKey =
  | 'schema'
  | 'revision'
  | 'network'
  | 'served-as'
  | 'vocabulary'
  | 'statements'
  | 'slim'
  | 'feed';

/** That a large change happens: its statements come behind this position. */
export type Decision = { readonly base: number; readonly at: number };

/** The removal of a statement, as it is kept on disk. */
export interface TombstoneRow {
  /** `sourceKey` */
  readonly source: string;
  readonly document: string;
  readonly uri: string;
  /** ms since the Unix epoch */
  readonly at: number;
}

/** The rows that are kept beside the quads. */
export const TABLES = {
  meta: (key: MetaKey, value: unknown): Row => ({ table: 'meta', key, value }),
  source: (source: Source, record: SourceRecord | undefined): Row => ({
    table: 'source',
    key: sourceKey(source),
    value: record,
  }),
  document: (source: Source, url: string, record: DocumentRecord | undefined): Row => ({
    table: 'document',
    key: `${sourceKey(source)} ${url}`,
    value: record,
  }),
  /** The number that stands for a graph in the keys of statements. */
  graph: (name: string, number: number | undefined): Row => ({ table: 'graph', key: name, value: number }),
  statement: (key: string, text: string | undefined): Row => ({ table: 'statement', key, text }),
  /** By position: the key of the statement that has it. */
  change: (position: number, key: string | undefined): Row => ({
    table: 'change',
    key: positionKey(position),
    text: key,
  }),
  intent: (key: string, part?: object): Row => ({ table: 'intent', key, value: part }),
  decision: (id: string, made?: Decision): Row => ({ table: 'decision', key: id, value: made }),
  /** The hash of what a source says, or of what a part of its documents says (`DocumentRecord.of`). */
  hash: (source: Source, of: string, row: string | undefined): Row => ({
    table: 'hash',
    key: `${sourceKey(source)} ${of}`,
    text: row,
  }),
  /** By position: the first digits of `Feed.digest` in a state. */
  state: (position: number, digest: string | undefined): Row => ({
    table: 'state',
    key: positionKey(position),
    value: digest,
  }),
  /** What the node has seen of a module, by `pinKey`. */
  seen: (pin: PinSubject, row: StoredPin | undefined): Row => ({
    table: 'seen',
    key: pinKey(pin),
    value: row,
  }),
  tombstone: (position: number, row: TombstoneRow | undefined): Row => ({
    table: 'tombstone',
    key: positionKey(position),
    value: row,
  }),
};

/** Keys of rows by position are in the order of positions. */
export function positionKey(position: number): string {
  return position.toString(36).padStart(9, '0');
}

export function readPositionKey(key: string): number {
  return Number.parseInt(key, 36);
}

/** Reads back the key of a hash's row. The URL of a source has no spaces. */
export function readHashKey(key: string): { source: Source; of: string } {
  const space = key.indexOf(' ', key.indexOf(' ') + 1);
  return { source: sourceOfKey(key.slice(0, space)), of: key.slice(space + 1) };
}

/** Reads back the key of a document's row. A URL has no spaces. */
export function readDocumentKey(key: string): { source: Source; url: string } {
  const space = key.lastIndexOf(' ');
  return { source: sourceOfKey(key.slice(0, space)), url: key.slice(space + 1) };
}
