import { randomUUID } from 'node:crypto';
import type { NamedNode, Quad } from '@rdfjs/types';
import { newerLayout, type RecordQuads, type RecordRow } from '../../record-store.js';
import { UnusableData } from '../../unusable-data.js';
import { only, type Session } from '../connection/session.js';
import { textHash } from '../order-key.js';
import { portionsOf } from '../portions-of.js';
import { quadOf, termsText } from './quad-terms.js';

const ROWS = 1_000;
/** How long removed records are kept for nodes that have not seen it: all that run look several times a second. */
const REMOVED_DAYS = 7;

/** Notes the layout of the records. @throws UnusableData when a newer release has written them */
export async function checkLayout(session: Session, place: string, layout: number): Promise<void> {
  await session.rows(
    'INSERT INTO connection.head (id, version, layout) VALUES (1, 0, $1) ON CONFLICT DO NOTHING',
    [layout],
  );
  const found = only(
    await session.rows<{ layout: number }>('SELECT layout FROM connection.head WHERE id = 1 FOR UPDATE'),
    'head of its records',
  );
  if (found.layout > layout) throw new UnusableData(newerLayout(place, found.layout, layout));
  if (found.layout < layout)
    await session.rows('UPDATE connection.head SET layout = $1 WHERE id = 1', [layout]);
}

/** Where the records stand. `marks`: drawn at random for each of the latest changes, the last one first. */
export interface RecordHead {
  readonly version: number;
  readonly marks: string;
}

/** Changes that are remembered: more than other nodes make while one is not looking. */
const MARKS = 200;
const MARK_LENGTH = 8;
const HEAD = 'SELECT version, marks FROM connection.head WHERE id = 1';

/** Has all other changes wait until this transaction has ended; gives what they have led to. */
export async function lockHead(session: Session): Promise<RecordHead> {
  return only(await session.rows<RecordHead>(`${HEAD} FOR UPDATE`), 'head of its records');
}

export async function readHead(session: Session): Promise<RecordHead> {
  return only(await session.rows<RecordHead>(HEAD), 'head of its records');
}

export function nextHead({ version, marks }: RecordHead): RecordHead {
  const mark = randomUUID().slice(0, MARK_LENGTH);
  return { version: version + 1, marks: (mark + marks).slice(0, MARKS * MARK_LENGTH) };
}

export function isSameHead(one: RecordHead, other: RecordHead): boolean {
  return one.version === other.version && one.marks === other.marks;
}

/**
 * All that has changed since: `undefined` when that cannot be told, because it is long ago, or because the database has lost
 * what was there then (a standby that was promoted without it, a backup that was restored).
 */
export async function changesSince(
  session: Session,
  known: RecordHead,
  now: RecordHead,
): Promise<RecordRow[] | undefined> {
  const behind = now.version - known.version;
  const at = behind * MARK_LENGTH;
  const mark = known.marks.slice(0, MARK_LENGTH);
  if (behind < 0 || now.marks.slice(at, at + MARK_LENGTH) !== mark) return undefined;
  return rowsOf(
    await session.rows<StoredRow>(`${ROWS_OF} WHERE version > $1 ORDER BY version`, [known.version]),
  );
}

export async function allRows(session: Session): Promise<RecordRow[]> {
  return rowsOf(await session.rows<StoredRow>(`${ROWS_OF} WHERE value IS NOT NULL`));
}

interface StoredRow {
  readonly area: string;
  readonly key: string;
  readonly value: string | null;
}

const ROWS_OF = 'SELECT area, key, value FROM connection.record';

function rowsOf(rows: readonly StoredRow[]): RecordRow[] {
  return rows.map(({ area, key, value }) => ({
    table: area,
    key: JSON.parse(key) as string,
    value: value === null ? undefined : (JSON.parse(value) as unknown),
  }));
}

/** All rows of a table, in the order of the UTF-8 bytes of their keys. */
export async function tableRows<T>(session: Session, table: string): Promise<(readonly [string, T])[]> {
  const rows = await session.rows<StoredRow>(
    'SELECT area, key, value FROM connection.record WHERE area = $1 AND value IS NOT NULL',
    [table],
  );
  return rows
    .map(({ key, value }) => [JSON.parse(key) as string, JSON.parse(value ?? 'null') as T] as const)
    .sort(([one], [other]) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
}

/** Writes rows, of which a later one replaces an earlier one of the same key, and where that leads to. */
export async function writeRows(
  session: Session,
  { version, marks }: RecordHead,
  rows: readonly RecordRow[],
): Promise<void> {
  await session.rows('UPDATE connection.head SET version = $1, marks = $2 WHERE id = 1', [version, marks]);
  const latest = new Map(rows.map((row) => [JSON.stringify([row.table, row.key]), row]));
  for (const some of portionsOf([...latest.values()], ROWS)) {
    await session.rows(
      `INSERT INTO connection.record (area, id, key, value, version)
       SELECT n.area, n.id, n.key, n.value, $1 FROM unnest($2::text[], $3::text[], $4::text[], $5::text[])
         AS n (area, id, key, value)
       ON CONFLICT (area, id) DO UPDATE
         SET value = excluded.value, version = excluded.version, written = excluded.written`,
      [
        version,
        some.map(({ table }) => table),
        some.map(({ key }) => textHash(key)),
        some.map(({ key }) => JSON.stringify(key)),
        some.map(({ value }) => (JSON.stringify(value) as string | undefined) ?? null),
      ],
    );
  }
  await session.rows(
    `DELETE FROM connection.record WHERE value IS NULL AND written < now() - $1 * interval '1 day'`,
    [REMOVED_DAYS],
  );
}

export async function quadsOf(session: Session, graph: NamedNode): Promise<Quad[]> {
  const rows = await session.rows<{ terms: string }>(
    'SELECT terms FROM connection.quad WHERE graph = $1 ORDER BY id',
    [textHash(graph.value)],
  );
  return rows.map(({ terms }) => quadOf(terms, graph));
}

/** Quads to be removed first, then those to be added. */
export async function writeQuads(session: Session, { remove = [], add = [] }: RecordQuads): Promise<void> {
  for (const some of portionsOf(remove, ROWS)) {
    await session.rows(
      `DELETE FROM connection.quad AS q USING unnest($1::text[], $2::text[]) AS n (graph, id)
       WHERE q.graph = n.graph AND q.id = n.id`,
      [some.map(graphOf), some.map((quad) => textHash(termsText(quad)))],
    );
  }
  for (const some of portionsOf(add, ROWS)) {
    const texts = some.map(termsText);
    await session.rows(
      `INSERT INTO connection.quad (graph, id, terms)
       SELECT n.graph, n.id, n.terms FROM unnest($1::text[], $2::text[], $3::text[]) AS n (graph, id, terms)
       ON CONFLICT DO NOTHING`,
      [some.map(graphOf), texts.map(textHash), texts],
    );
  }
}

function graphOf({ graph }: Quad): string {
  return textHash(graph.value);
}
