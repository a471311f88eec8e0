import type { Source } from '../../../component/source.js';
import { sourceKey } from '../../../component/source.js';
import type { Standing } from '../../../core/precedence.js';
import type { SourceHashes } from '../../../core/source-digests.js';
import { StatementHash } from '../../../core/statement-hash.js';
import type { DocumentRecord } from '../../../registry/document-record.js';
import { FORGOTTEN_AT_ONCE, type LeavingDocument } from '../../../registry/forgetting.js';
import type { SourceRecord } from '../../../registry/source-record.js';
import { only, type Session } from '../connection/session.js';
import { textHash } from '../order-key.js';
import { metadataOf } from '../payload.js';

/** A source as it is stored; its row stays locked until the transaction has ended. */
export interface LockedSource {
  readonly id: number;
  readonly source: Source;
  readonly record: SourceRecord;
}

interface SourceRow {
  readonly id: number;
  readonly record: string;
}

/** Has other changes of a source wait until this transaction has ended; `undefined` when nothing is known of it. */
export async function lockSource(session: Session, source: Source): Promise<LockedSource | undefined> {
  const [row] = await session.rows<SourceRow>(
    'SELECT id, record FROM registry.source WHERE key = $1 FOR UPDATE',
    [textHash(sourceKey(source))],
    'lock-source',
  );
  return row && { id: row.id, source, record: JSON.parse(row.record) as SourceRecord };
}

/** The same; a source that is not known yet becomes known. */
export async function lockOrAddSource(session: Session, source: Source, rank: number): Promise<LockedSource> {
  const known = await lockSource(session, source);
  if (known) return known;
  const record: SourceRecord = { failures: 0 };
  await session.rows(
    `INSERT INTO registry.source (key, kind, url, record, rank) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (key) DO NOTHING`,
    [textHash(sourceKey(source)), source.kind, source.url, JSON.stringify(record), rank],
  );
  return only(
    [await lockSource(session, source)].flatMap((row) => row ?? []),
    'source',
  );
}

/** A document of a source as it is stored. */
export interface StoredDocument {
  readonly id: number;
  readonly url: string;
  readonly record: DocumentRecord;
  readonly components: number;
}

interface DocumentRow {
  readonly id: number;
  readonly url: string;
  readonly record: string;
  readonly components: number;
}

/** Documents of a source by URL: all of them, or those with these URLs. */
export async function readDocuments(
  session: Session,
  source: number,
  urls?: readonly string[],
): Promise<Map<string, StoredDocument>> {
  const some = urls ? ' AND key = ANY($2)' : '';
  const rows = await session.rows<DocumentRow>(
    `SELECT id, url, record, components FROM registry.document WHERE source = $1${some} ORDER BY id`,
    urls ? [source, urls.map(textHash)] : [source],
  );
  return new Map(
    rows.map(({ record, ...row }) => [row.url, { ...row, record: JSON.parse(record) as DocumentRecord }]),
  );
}

/** The first documents of a source that is forgotten: as many as one commit removes, and one more. */
export async function readLeaving(session: Session, source: number): Promise<LeavingDocument[]> {
  const rows = await session.rows<DocumentRow>(
    `SELECT id, url, record, components FROM registry.document WHERE source = $1 ORDER BY key LIMIT $2`,
    [source, FORGOTTEN_AT_ONCE + 1],
  );
  return rows.map(({ id, url, record, components }) => ({
    ...{ url, components, record: JSON.parse(record) as DocumentRecord },
    uris: async (most) => {
      const said = await session.rows<{ payload: string }>(
        'SELECT payload FROM registry.statement WHERE document = $1 LIMIT $2',
        [id, most],
      );
      return said.map(({ payload }) => metadataOf(payload).uri);
    },
  }));
}

/** Remembers nothing more of a source of which nothing is left. */
export async function removeSource(session: Session, id: number): Promise<void> {
  await session.rows('DELETE FROM registry.source WHERE id = $1', [id]);
  await session.rows('DELETE FROM registry.source_hash WHERE source = $1', [id]);
}

/** The ids of documents that are stored from now on, by URL. */
export async function addDocuments(
  session: Session,
  source: number,
  urls: readonly string[],
): Promise<Map<string, number>> {
  if (urls.length === 0) return new Map();
  const rows = await session.rows<{ id: number; url: string }>(
    `INSERT INTO registry.document (source, key, url, rank, record, components)
     SELECT $1, d.key, d.url, 0, '{}', 0 FROM unnest($2::text[], $3::text[]) AS d (key, url)
     RETURNING id, url`,
    [source, urls.map(textHash), urls],
  );
  return new Map(rows.map(({ id, url }) => [url, id]));
}

/** What is remembered of a document from now on. */
export interface DocumentUpdate {
  readonly id: number;
  readonly record: DocumentRecord;
  readonly components: number;
  readonly standing: Standing;
}

export async function updateDocuments(session: Session, updates: readonly DocumentUpdate[]): Promise<void> {
  if (updates.length === 0) return;
  await session.rows(
    `UPDATE registry.document AS d SET record = u.record, components = u.components, ${PLACES}
     FROM unnest(${PLACE_ARRAYS}, $8::text[], $9::bigint[]) AS u (${PLACE_NAMES}, record, components)
     WHERE d.id = u.id`,
    [
      ...placesOf(updates),
      updates.map(({ record }) => JSON.stringify(record)),
      updates.map(({ components }) => components),
    ],
  );
}

/** Writes where what documents say stands. */
export async function placeDocuments(session: Session, documents: readonly Placed[]): Promise<void> {
  await session.rows(
    `UPDATE registry.document AS d SET ${PLACES} FROM unnest(${PLACE_ARRAYS}) AS u (${PLACE_NAMES}) WHERE d.id = u.id`,
    placesOf(documents),
  );
}

/** `more`: how many more statements of each are served, by id. */
export async function countServed(session: Session, more: ReadonlyMap<number, number>): Promise<void> {
  const changed = [...more].filter(([, count]) => count !== 0);
  if (changed.length === 0) return;
  await session.rows(
    `UPDATE registry.document AS d SET served = d.served + n.more
     FROM unnest($1::bigint[], $2::bigint[]) AS n (id, more) WHERE d.id = n.id`,
    [changed.map(([id]) => id), changed.map(([, count]) => count)],
  );
}

type Placed = Pick<DocumentUpdate, 'id' | 'standing'>;

const PLACES = `rank = u.rank, said_kind = u.said_kind, said_by = u.said_by, name = u.name, class = u.class,
  trust = u.trust`;
const PLACE_ARRAYS = '$1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[]';
const PLACE_NAMES = 'id, rank, said_kind, said_by, name, class, trust';

function placesOf(documents: readonly Placed[]): unknown[][] {
  const column = (read: (standing: Standing) => unknown) => documents.map(({ standing }) => read(standing));
  return [
    documents.map(({ id }) => id),
    column(({ rank }) => rank),
    column(({ source }) => source.kind),
    column(({ source }) => source.url),
    column(({ document }) => document),
    column((standing) => standing.class),
    column(({ trust }) => trust),
  ];
}

export async function removeDocuments(session: Session, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await session.rows('DELETE FROM registry.document WHERE id = ANY($1)', [ids]);
}

interface HashRow {
  readonly belongs_to: string;
  readonly hash: string;
}

export async function readHashes(session: Session, source: number): Promise<SourceHashes> {
  const rows = await session.rows<HashRow>(
    'SELECT belongs_to, hash FROM registry.source_hash WHERE source = $1',
    [source],
  );
  return new Map(rows.map(({ belongs_to, hash }) => [belongs_to, parsedHash(hash)]));
}

export async function writeHashes(session: Session, source: number, changed: SourceHashes): Promise<void> {
  if (changed.size === 0) return;
  const all = [...changed];
  const kept = all.filter(([, hash]) => hash.count > 0);
  const gone = all.filter(([, hash]) => hash.count === 0).map(([of]) => textHash(of));
  if (gone.length > 0) {
    await session.rows('DELETE FROM registry.source_hash WHERE source = $1 AND key = ANY($2)', [
      source,
      gone,
    ]);
  }
  if (kept.length === 0) return;
  await session.rows(
    `INSERT INTO registry.source_hash (source, key, belongs_to, hash)
     SELECT $1, h.key, h.belongs_to, h.hash FROM unnest($2::text[], $3::text[], $4::text[]) AS h (key, belongs_to, hash)
     ON CONFLICT (source, key) DO UPDATE SET hash = excluded.hash`,
    [
      source,
      kept.map(([of]) => textHash(of)),
      kept.map(([of]) => of),
      kept.map(([, hash]) => hash.serialized()),
    ],
  );
}

function parsedHash(text: string): StatementHash {
  const hash = StatementHash.parse(text);
  if (!hash) throw new Error('A hash in the database is damaged; restore it from a backup');
  return hash;
}
