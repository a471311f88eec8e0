import type { Precedence } from '../../../component/precedence.js';
import type { Description } from '../../../registry/description.js';
import type { Session } from '../connection/session.js';
import { textHash } from '../order-key.js';
import { DESCRIPTION_COLUMNS, DESCRIPTION_JOINS, descriptionOf, grouped, type RankedRow } from './rows.js';
import type { Selection } from './selection.js';

/** A part of what is selected. */
export interface Part {
  readonly selection: Selection;
  /** Only greater ones, as an `orderKey`. */
  readonly after: string | undefined;
  readonly most: number;
  readonly shadowed: boolean;
}

/** The descriptions of one component, the served one first. */
export interface Component {
  /** `orderKey` of its uri. */
  readonly key: string;
  readonly descriptions: readonly Description[];
}

/** Components in their order, and the version of the registry that they belong to. */
export interface ReadPart {
  readonly version: number;
  readonly components: readonly Component[];
}

interface PartRow extends RankedRow {
  readonly version: number;
}

/** Columns of the row of a registry that has nothing to list: the version, and nothing else. */
type FoundRow = PartRow | { readonly version: number; readonly uri: null };

/** Terms of a selection whose statement is worth preparing: of more, there are too many different ones. */
const PREPARED = 4;

export async function readPart(session: Session, part: Part, precedence: Precedence): Promise<ReadPart> {
  const { text, values } = statementFor(part);
  const name = values.length <= PREPARED + 2 ? textHash(text) : undefined;
  const rows = await session.rows<FoundRow>(text, values, name);
  const [first] = rows;
  if (!first) throw new Error('The database has no head: was a table emptied by hand?');
  const found = rows.filter((row): row is PartRow => row.uri !== null);
  const components = grouped(found, precedence).map((group) => ({
    key: group[0]?.uri ?? '',
    descriptions: group.map((row) => descriptionOf(row, precedence)),
  }));
  return { version: first.version, components };
}

function statementFor({ selection, after, most, shadowed }: Part): { text: string; values: unknown[] } {
  const values = [...selection.values];
  const add = (value: unknown) => `$${values.push(value)}`;
  const where = [...selection.where, ...(after === undefined ? [] : [`${selection.uri} > ${add(after)}`])];
  const selected = (columns: string, joins: string) => `SELECT ${columns}
    FROM ${selection.from} ${joins}
    WHERE ${where.join(' AND ')}
    ORDER BY ${selection.uri} LIMIT ${add(most)}`;
  const columns = `${DESCRIPTION_COLUMNS}, d.rank`;
  const inner = shadowed
    ? `SELECT ${columns} FROM (${selected(`${selection.uri} AS uri`, '')}) AS listed
       JOIN registry.statement AS s ON s.uri = listed.uri ${DESCRIPTION_JOINS}`
    : selected(columns, DESCRIPTION_JOINS);
  const text = `SELECT h.version, x.* FROM registry.head AS h LEFT JOIN LATERAL (${inner}) AS x ON true
    WHERE h.id = 1 ORDER BY x.uri`;
  return { text, values };
}

/** The uri before which a page of so many components ends, and whether there are more. */
export async function endOfPart(
  session: Session,
  { selection, after, most }: Part,
): Promise<{ readonly last: string; readonly next: string } | undefined> {
  const values = [...selection.values];
  const add = (value: unknown) => `$${values.push(value)}`;
  const where = [...selection.where, ...(after === undefined ? [] : [`${selection.uri} > ${add(after)}`])];
  const [last, more] = await session.rows<{ uri: string; payload: string }>(
    `SELECT s.uri, s.payload FROM ${selection.from} WHERE ${where.join(' AND ')}
     ORDER BY ${selection.uri} OFFSET ${add(most - 1)} LIMIT 2`,
    values,
  );
  return last && more ? { last: last.uri, next: last.payload } : undefined;
}
