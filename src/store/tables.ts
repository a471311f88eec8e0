import { type Source, sourceKey, sourceOfKey } from '../component/precedence.js';
import type { Row } from './quad-store.js';
import type { DocumentRecord, SourceRecord } from './source-record.js';

/** Version of the layout on disk; a change that older software would misread raises it. */
export const SCHEMA_VERSION = 1;

type MetaKey = 'schema' | 'revision' | 'network' | 'served-as' | 'vocabulary';

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
};

/** Reads back the key of a document's row. A URL has no spaces. */
export function readDocumentKey(key: string): { source: Source; url: string } {
  const space = key.lastIndexOf(' ');
  return { source: sourceOfKey(key.slice(0, space)), url: key.slice(space + 1) };
}
