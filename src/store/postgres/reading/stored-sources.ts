import { type Source, type SourceKind, sourceKey } from '../../../component/source.js';
import { grouped } from '../../../lib/grouped.js';
import type { DocumentRecord } from '../../../registry/document-record.js';
import type { SourceRecord, StoredSource } from '../../../registry/source-record.js';
import type { Session } from '../connection/session.js';
import { textHash } from '../order-key.js';

interface SourceRow {
  readonly id: number;
  readonly kind: SourceKind;
  readonly url: string;
  readonly record: string;
}

interface DocumentRow {
  readonly source: number;
  readonly url: string;
  readonly record: string;
  readonly components: number;
}

const SOURCES = 'SELECT id, kind, url, record FROM registry.source';
const DOCUMENTS = 'SELECT source, url, record, components FROM registry.document';

/** What is remembered of a source. */
export async function readStoredSource(session: Session, source: Source): Promise<StoredSource | undefined> {
  const [row] = await session.rows<SourceRow>(`${SOURCES} WHERE key = $1`, [textHash(sourceKey(source))]);
  if (!row) return undefined;
  const documents = await session.rows<DocumentRow>(`${DOCUMENTS} WHERE source = $1 ORDER BY id`, [row.id]);
  return storedSource(row, documents);
}

/** All of them. */
export async function readStoredSources(session: Session): Promise<StoredSource[]> {
  const rows = await session.rows<SourceRow>(`${SOURCES} ORDER BY id`);
  const documents = await session.rows<DocumentRow>(`${DOCUMENTS} ORDER BY id`);
  const bySource = grouped(documents, ({ source }) => source);
  return rows.map((row) => storedSource(row, bySource.get(row.id) ?? []));
}

function storedSource({ kind, url, record }: SourceRow, documents: readonly DocumentRow[]): StoredSource {
  return {
    source: { kind, url },
    record: JSON.parse(record) as SourceRecord,
    documents: new Map(
      documents.map(({ url: document, record: text, components }) => [
        document,
        { ...(JSON.parse(text) as DocumentRecord), components },
      ]),
    ),
  };
}
