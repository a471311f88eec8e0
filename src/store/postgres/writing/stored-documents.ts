import type { Source } from '../../../component/source.js';
import { sourceKey } from '../../../component/source.js';
import type { Standing } from '../../../core/precedence.js';
import type { SourceHashes } from '../../../core/source-digests.js';
import { StatementHash } from '../../../core/statement-hash.js';
import type { DocumentRecord } from '../../../registry/document-record.js';
import { FORGOTTEN_AT_ONCE, type LeavingDocument } from '../../../registry/forgetting.js';
import type { SourceRecord } from '../../../registry/source-record.js';
import { only, type Session } from '../connection/session.js';
import type { Transaction } from '../connection/transaction.js';
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
  // The key is a hash of letters, digits, - and _: without parameters, it is sent with the beginning of the transaction.
  const [row] = await session.rows<SourceRow>(
    `SELECT id, record FROM registry.source WHERE key = '${textHash(sourceKey(source))}' FOR UPDATE`,
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

/** What a change of a source begins with: the documents that it names, by URL, and the hashes of the source. */
export interface StoredPart {
  readonly documents: ReadonlyMap<string, StoredDocument>;
  readonly hashes: SourceHashes;
}

/** One statement for both; hashes have no id. */
const PART = `SELECT id, url, record, components FROM registry.document WHERE source = $1 AND key = ANY($2)
  UNION ALL SELECT NULL, belongs_to, hash, 0 FROM registry.source_hash WHERE source = $1`;

export async function readPart(
  session: Session,
  source: number,
  urls: readonly string[],
): Promise<StoredPart> {
  const documents = new Map<string, StoredDocument>();
  const hashes = new Map<string, StatementHash>();
  const rows = await session.rows<DocumentRow | HashRow>(PART, [source, urls.map(textHash)]);
  for (const row of rows) {
    if (row.id === null) hashes.set(row.url, parsedHash(row.record));
    else documents.set(row.url, { ...row, record: JSON.parse(row.record) as DocumentRecord });
  }
  return { documents, hashes };
}

/** The first documents of a source that is forgotten: as many as one commit removes, and one more. */
export async function readLeaving(session: Session, source: number): Promise<LeavingDocument[]> {
  const rows = await session.rows<DocumentRow>(
    `SELECT id, url, record, components FROM registry.document WHERE source = $1 ORDER BY key LIMIT $2`,
    [source, FORGOTTEN_AT_ONCE + 1],
  );
  return rows.map(({ id, url, record, components }) => ({
    url,
    components,
    record: JSON.parse(record) as DocumentRecord,
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
export function removeSource(transaction: Transaction, id: number): void {
  transaction.later('DELETE FROM registry.source WHERE id = $1', [id]);
  transaction.later('DELETE FROM registry.source_hash WHERE source = $1', [id]);
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

/** `more`: how many more statements of each document are served, by id. */
export function updateDocuments(
  transaction: Transaction,
  updates: readonly DocumentUpdate[],
  more: ReadonlyMap<number, number>,
): void {
  if (updates.length === 0) return;
  transaction.later(
    `UPDATE registry.document AS d
     SET record = u.record, components = u.components, served = d.served + u.more, ${PLACES}
     FROM unnest(${PLACE_ARRAYS}, $8::text[], $9::bigint[], $10::bigint[])
       AS u (${PLACE_NAMES}, record, components, more)
     WHERE d.id = u.id`,
    [
      ...placesOf(updates),
      updates.map(({ record }) => JSON.stringify(record)),
      updates.map(({ components }) => components),
      updates.map(({ id }) => more.get(id) ?? 0),
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
export function countServed(transaction: Transaction, more: ReadonlyMap<number, number>): void {
  const changed = [...more].filter(([, count]) => count !== 0);
  if (changed.length === 0) return;
  transaction.later(
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

export function removeDocuments(transaction: Transaction, ids: readonly number[]): void {
  if (ids.length === 0) return;
  const text = 'DELETE FROM registry.document WHERE id = ANY($1)';
  transaction.later(text, [ids]);
}

/** What is written of a source: its record, and its summary in the feed where that has changed. */
export interface SourceUpdate {
  readonly record: SourceRecord;
  readonly rank?: number;
  readonly count?: number;
  readonly digest?: string;
  readonly position?: number;
}

/** After a poll: numbers are in the order of commits, because whoever takes one is about to commit. */
const NEXT_POLL = 'UPDATE registry.poll SET number = number + 1 WHERE id = 1 RETURNING number';

/** `polledBy`: the node that has stored the record after a poll, or a decision of its operator in that of its own graph. */
export function updateSource(
  transaction: Transaction,
  id: number,
  { record, ...summary }: SourceUpdate,
  polledBy: string | undefined,
): void {
  const polled = polledBy === undefined ? {} : { polled_by: polledBy };
  const columns = Object.entries({ record: JSON.stringify(record), ...summary, ...polled });
  const assigned = columns.map(([name], i) => `${name} = $${i + 2}`);
  const values = [id, ...columns.map(([, value]) => value)];
  const text = `UPDATE registry.source SET ${assigned.join(', ')}`;
  if (polledBy === undefined) transaction.later(`${text} WHERE id = $1`, values);
  else
    transaction.later(`${text}, polled = next_poll.number FROM next_poll WHERE id = $1`, values, {
      with: { name: 'next_poll', text: NEXT_POLL },
    });
}

interface HashRow {
  readonly id: null;
  readonly url: string;
  readonly record: string;
}

export function writeHashes(transaction: Transaction, source: number, changed: SourceHashes): void {
  const all = [...changed];
  const kept = all.filter(([, hash]) => hash.count > 0);
  const gone = all.filter(([, hash]) => hash.count === 0).map(([of]) => textHash(of));
  if (gone.length > 0) {
    transaction.later('DELETE FROM registry.source_hash WHERE source = $1 AND key = ANY($2)', [source, gone]);
  }
  if (kept.length === 0) return;
  transaction.later(
    `INSERT INTO registry.source_hash (source, key, belongs_to, hash)
     SELECT $1::bigint, h.key, h.belongs_to, h.hash FROM unnest($2::text[], $3::text[], $4::text[]) AS h (key, belongs_to, hash)
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
