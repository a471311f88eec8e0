import { type Source, sourceKey, sourceOfKey } from '../../../component/precedence.js';
import type { DocumentRecord, SourceRecord } from '../../../registry/source-record.js';
import type { Row } from './quad-store.js';

/**
 * Version of the layout on disk; a change that older software would misread raises it. Version 2 keeps a
 * row per statement beside the quads; they are made from the quads where they are missing. In version 3 every
 * value carries a checksum; older data gets them when it is opened.
 */
export const SCHEMA_VERSION = 3;

type MetaKey = 'schema' | 'revision' | 'network' | 'served-as' | 'vocabulary' | 'statements';

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
  intent: (key: string, part?: object): Row => ({ table: 'intent', key, value: part }),
  decision: (id: string, made?: true): Row => ({ table: 'decision', key: id, value: made }),
};

/** Reads back the key of a document's row. A URL has no spaces. */
export function readDocumentKey(key: string): { source: Source; url: string } {
  const space = key.lastIndexOf(' ');
  return { source: sourceOfKey(key.slice(0, space)), url: key.slice(space + 1) };
}
