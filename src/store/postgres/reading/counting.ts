import { indexedValues } from '../../../component/canonical-shape.js';
import type { ListField, Metadata } from '../../../component/metadata.js';
import type { Query } from '../../../component/query.js';
import { type SourceKind, sourceKey } from '../../../component/source.js';
import type { CountedField, Counts } from '../../../registry/counts.js';
import type { Session } from '../connection/session.js';
import { metadataOf } from '../payload.js';
import { COUNTED_KINDS, TERM_KINDS, term, termValue } from '../terms.js';
import { selectionOf } from './selection.js';
import { inOrder, LOOKED, type Selection, through } from './selection-builder.js';

/** Matches that are read for one answer. Those of several conditions are counted up to this number, too. */
export const READABLE = 1_000;
/** Of more, the values of so many are counted: after a start of the server, each may be read from the disk by itself. */
const SAMPLE = 200;

interface Counted<F> {
  readonly query: Query;
  readonly fields: readonly F[];
  readonly areWordsIndexed: boolean;
  /** How many match, where that has been counted before. */
  readonly known?: Pick<Counts, 'total' | 'isTotalCapped'> | undefined;
  /** Values of each field. */
  readonly most?: number | undefined;
}

/** How many served components match, and how many of these have each value. All is read from one session. */
export async function countsOf<F extends CountedField>(
  session: Session,
  { query, fields, areWordsIndexed, known, most }: Counted<F>,
): Promise<Counts<F>> {
  const selection = await selectionOf(session, query, areWordsIndexed);
  const by = new Map<CountedField, ReadonlyMap<string, number>>(fields.map((field) => [field, new Map()]));
  const { total, isTotalCapped } = known ?? (selection ? await countOf(session, selection) : NONE);
  const areMany = isTotalCapped || total > READABLE;
  const first = selection && !isEverything(selection) && firstOf(selection, areMany ? SAMPLE : READABLE);
  const values = selection?.values ?? [];
  const said = first && fields.some(isList) ? await metadataIn(session, first, values) : [];
  for (const field of selection ? fields : []) {
    if (!isList(field)) by.set(field, await sourcesIn(session, first, values));
    else by.set(field, first ? valuesSaid(said, field) : await valuesCounted(session, field, most));
  }
  const answered = { total, by: Object.fromEntries(by) as unknown as Counts<F>['by'], isTotalCapped };
  return { ...answered, areValuesCapped: first && areMany ? true : undefined };
}

const NONE: NonNullable<Counted<never>['known']> = { total: 0 };

function isList(field: CountedField): field is ListField {
  return field !== 'source';
}

function isEverything({ simple }: Selection): boolean {
  return simple !== undefined && simple.term === undefined;
}

export async function countOf(session: Session, selection: Selection): Promise<typeof NONE> {
  if (selection.count !== undefined) return { total: selection.count };
  const { values, filters } = selection;
  if (filters.length > 0) return countLooked(session, selection);
  const { from, where } = selection.indexed ?? selection;
  const counted = countStatement(selection);
  const limit = `SELECT 1 FROM ${from} WHERE ${where.join(' AND ')} ORDER BY ${selection.uri} LIMIT ${READABLE + 1}`;
  const rows = await session.rows<{ count: number }>(
    counted?.text ?? `SELECT count(*) AS count FROM (${limit}) AS found`,
    counted?.values ?? values,
  );
  const count = rows[0]?.count ?? 0;
  return counted || count <= READABLE ? { total: count } : { total: READABLE, isTotalCapped: true };
}

/** Of what is looked through at a time. */
async function countLooked(session: Session, selection: Selection): Promise<typeof NONE> {
  const { from, where } = through(selection);
  const [row] = await session.rows<{ looked: number; count: number }>(
    `SELECT count(*) AS looked, coalesce(sum(CASE WHEN ${where.join(' AND ')} THEN 1 ELSE 0 END), 0)::bigint AS count
     FROM ${from}`,
    selection.values,
  );
  const isTotalCapped = (row?.looked ?? 0) >= LOOKED ? true : undefined;
  return { total: row?.count ?? 0, isTotalCapped };
}

/** Of what is counted at each commit. */
function countStatement({ simple }: Selection) {
  if (!simple) return undefined;
  const { term: wanted } = simple;
  if (wanted === undefined)
    return { text: 'SELECT components AS count FROM registry.head WHERE id = 1', values: [] };
  if (!COUNTED_KINDS.includes(wanted.charAt(0))) return undefined;
  return { text: 'SELECT count FROM registry.term_count WHERE term = $1', values: [wanted] };
}

interface SourceCount {
  readonly kind: SourceKind;
  readonly url: string;
  readonly count: number;
}

/** Of everything they are counted at each commit. */
const SOURCES = `SELECT d.said_kind AS kind, d.said_by AS url, sum(d.served)::bigint AS count
  FROM registry.document AS d WHERE d.served > 0 GROUP BY d.said_kind, d.said_by`;

/** `first`: selects statements; of everything when absent. */
async function sourcesIn(
  session: Session,
  first: string | false | undefined,
  values: readonly unknown[],
): Promise<Map<string, number>> {
  const counted = `SELECT d.said_kind AS kind, d.said_by AS url, sum(c.count)::bigint AS count
    FROM (SELECT m.document, count(*) AS count FROM (${first}) AS m GROUP BY m.document) AS c
    JOIN registry.document AS d ON d.id = c.document GROUP BY d.said_kind, d.said_by`;
  const rows = await session.rows<SourceCount>(first ? counted : SOURCES, values);
  return new Map(rows.map(({ count, ...source }) => [sourceKey(source), count]));
}

function valuesSaid(said: readonly Metadata[], field: ListField): Map<string, number> {
  const counts = new Map<string, number>();
  for (const metadata of said) {
    for (const value of indexedValues(metadata, field)) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return counts;
}

async function metadataIn(session: Session, first: string, values: readonly unknown[]): Promise<Metadata[]> {
  const rows = await session.rows<{ payload: string }>(`SELECT s.payload FROM (${first}) AS s`, values);
  return rows.map(({ payload }) => metadataOf(payload));
}

/** The first matches, up to so many. */
export function firstOf(selection: Selection, most: number): string {
  if (selection.filters.length === 0) return inOrder(selection, { most });
  const { from, where, uri } = through(selection);
  return `SELECT s.* FROM ${from} WHERE ${where.join(' AND ')} ORDER BY ${uri} LIMIT ${most}`;
}

/** Of everything, the most frequent first. */
async function valuesCounted(
  session: Session,
  field: ListField,
  most: number | undefined,
): Promise<Map<string, number>> {
  const kind = TERM_KINDS[field];
  const rows = await session.rows<{ term: string; count: number }>(
    `SELECT term, count FROM registry.term_count WHERE term >= $1 AND term < $2 AND count > 0
     ORDER BY count DESC, term LIMIT $3`,
    [kind, String.fromCharCode(kind.charCodeAt(0) + 1), most],
  );
  const counts = new Map<string, number>();
  for (const { term: text, count } of rows) {
    counts.set(termValue(text) ?? (await longValue(session, text, field)), count);
  }
  return counts;
}

/** A value that is too long for an index, from a component that has it. */
async function longValue(session: Session, text: string, field: ListField): Promise<string> {
  const rows = await session.rows<{ payload: string }>(
    `SELECT s.payload FROM registry.posting AS p JOIN registry.statement AS s ON s.uri = p.uri AND s.served
     WHERE p.term = $1 LIMIT 1`,
    [text],
  );
  const said: Metadata[] = rows.map(({ payload }) => metadataOf(payload));
  const values = said.flatMap((metadata) => indexedValues(metadata, field));
  return values.find((value) => term(field, value) === text) ?? text.slice(1);
}
