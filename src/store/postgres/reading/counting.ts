import type { ListField, Metadata } from '../../../component/metadata.js';
import { type SourceKind, sourceKey } from '../../../component/precedence.js';
import type { Query } from '../../../component/query.js';
import type { CountedField, Counts } from '../../../registry/catalog.js';
import type { Session } from '../connection/session.js';
import { only } from '../connection/session.js';
import { metadataOf } from '../payload.js';
import { TERM_KINDS, term, termValue } from '../terms.js';
import { type Selection, selectionOf } from './selection.js';

/** Components up to which values are counted in what they say, and not in the index of all components. */
const FEW = 2_000;

/** How many served components match, and how many of these have each value. All is read from one session. */
export async function countsOf<F extends CountedField>(
  session: Session,
  query: Query,
  fields: readonly F[],
): Promise<Counts<F>> {
  const selection = await selectionOf(session, query);
  const total = selection ? await countOf(session, selection) : 0;
  const by = new Map<CountedField, ReadonlyMap<string, number>>();
  for (const field of fields) {
    by.set(field, selection ? await valuesOf(session, { selection, total, field }) : new Map());
  }
  return { total, by: Object.fromEntries(by) as unknown as Counts<F>['by'] };
}

interface Counting {
  readonly selection: Selection;
  readonly total: number;
  readonly field: CountedField;
}

async function valuesOf(session: Session, counting: Counting): Promise<ReadonlyMap<string, number>> {
  const { selection, total, field } = counting;
  if (field === 'source') return sourcesOf(session, selection);
  return total <= FEW ? valuesSaid(session, selection, field) : valuesIndexed(session, selection, field);
}

async function countOf(session: Session, { from, where, values }: Selection): Promise<number> {
  const rows = await session.rows<{ count: number }>(
    `SELECT count(*) AS count FROM ${from} WHERE ${where.join(' AND ')}`,
    values,
  );
  return only(rows, 'count').count;
}

interface SourceCount {
  readonly kind: SourceKind;
  readonly url: string;
  readonly count: number;
}

async function sourcesOf(session: Session, { from, where, values }: Selection): Promise<Map<string, number>> {
  const rows = await session.rows<SourceCount>(
    `SELECT d.said_kind AS kind, d.said_by AS url, sum(c.count)::bigint AS count FROM (
       SELECT s.document, count(*) AS count FROM ${from} WHERE ${where.join(' AND ')} GROUP BY s.document
     ) AS c JOIN registry.document AS d ON d.id = c.document GROUP BY d.said_kind, d.said_by`,
    values,
  );
  return new Map(rows.map(({ count, ...source }) => [sourceKey(source), count]));
}

async function valuesSaid(
  session: Session,
  { from, where, values }: Selection,
  field: ListField,
): Promise<Map<string, number>> {
  const rows = await session.rows<{ payload: string }>(
    `SELECT s.payload FROM ${from} WHERE ${where.join(' AND ')}`,
    values,
  );
  const counts = new Map<string, number>();
  for (const { payload } of rows) {
    for (const value of metadataOf(payload)[field]) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return counts;
}

interface TermCount {
  readonly term: string;
  readonly count: number;
  /** One of the components that have it. */
  readonly uri: string;
}

async function valuesIndexed(
  session: Session,
  selection: Selection,
  field: ListField,
): Promise<Map<string, number>> {
  const values = [...selection.values];
  const add = (value: unknown) => `$${values.push(value)}`;
  const kind = TERM_KINDS[field];
  const isAll = selection.values.length === 0;
  const among = isAll
    ? ''
    : `AND p.uri IN (SELECT s.uri FROM ${selection.from} WHERE ${selection.where.join(' AND ')})`;
  const rows = await session.rows<TermCount>(
    `SELECT p.term, count(*) AS count, min(p.uri) AS uri FROM registry.posting AS p
     WHERE p.term >= ${add(kind)} AND p.term < ${add(String.fromCharCode(kind.charCodeAt(0) + 1))} ${among}
     GROUP BY p.term`,
    values,
  );
  const counts = new Map<string, number>();
  for (const { term: text, count, uri } of rows) {
    const value = termValue(text) ?? (await longValue(session, { text, uri, field }));
    counts.set(value, count);
  }
  return counts;
}

/** A value that is too long for an index, from a component that has it. */
async function longValue(
  session: Session,
  { text, uri, field }: { readonly text: string; readonly uri: string; readonly field: ListField },
): Promise<string> {
  const rows = await session.rows<{ payload: string }>(
    'SELECT payload FROM registry.statement WHERE uri = $1 AND served',
    [uri],
  );
  const said: Metadata[] = rows.map(({ payload }) => metadataOf(payload));
  const values = said.flatMap((metadata) => metadata[field]);
  return values.find((value) => term(field, value) === text) ?? text.slice(1);
}
