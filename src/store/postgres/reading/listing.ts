import type { Session } from '../connection/session.js';
import { textHash } from '../order-key.js';
import { metadataOf } from '../payload.js';
import type { Head } from '../writing/head.js';
import {
  type Component,
  componentsOf,
  DESCRIPTION_COLUMNS,
  DESCRIPTION_JOINS,
  type DescriptionRow,
} from './rows.js';
import { inOrder, LOOKED, type Selection, through } from './selection-builder.js';

/** A part of what is selected. */
export interface Part {
  readonly selection: Selection;
  /** Only greater ones, as an `orderKey`. */
  readonly after: string | undefined;
  readonly most: number;
  /** Nothing is read after what is served has come to so many bytes, because one component may have a thousandth or all of them. */
  readonly bytes: number;
  readonly shadowed: boolean;
}

/** Components in their order, and the state of the registry that they belong to. */
export interface ReadPart extends Pick<Head, 'version' | 'mark'> {
  readonly components: readonly Component[];
  /** There may be more: its bytes end it, and not the listing. */
  readonly isCut: boolean;
  /** Only a part was looked through for them, up to this uri where there is more to look through. */
  readonly lookedThrough?: { readonly until?: string | undefined };
}

interface PartRow extends DescriptionRow, Pick<Head, 'version' | 'mark'> {
  /** Of what is served, up to this one; absent where a part is too short to be cut. */
  readonly bytes?: number;
}

/** The row of a registry that has nothing to list: where it stands, and nothing else. */
type FoundRow = PartRow | (Pick<Head, 'version' | 'mark'> & { readonly uri: null });

/** Components that are read without a look at their bytes: so many of the largest have 10 MB. */
const FEW = 50;
/**
 * Terms of a selection whose statement is worth preparing: of more, there are too many different ones. Of what is selected
 * otherwise, one plan does not fit all values.
 */
const PREPARED = 4;

export async function readPart(session: Session, part: Part): Promise<ReadPart> {
  const { text, values } = statementFor(part);
  const { simple, indexed, filters } = part.selection;
  const isWorth = simple !== undefined || (indexed !== undefined && filters.length === 0);
  const name = isWorth && values.length <= PREPARED + 2 ? textHash(text) : undefined;
  const rows = await session.rows<FoundRow>(text, values, name);
  const [first] = rows;
  if (!first) throw new Error('The database has no head: was a table emptied by hand?');
  const found = rows.filter((row): row is PartRow => row.uri !== null);
  const { version, mark } = first;
  const isCut = (found.at(-1)?.bytes ?? 0) >= part.bytes;
  const read = { version, mark, components: componentsOf(found), isCut };
  if (filters.length === 0) return read;
  return { ...read, lookedThrough: { until: await lookedUntil(session, part) } };
}

/** The last uri of what is looked through at a time, if there is so much. */
async function lookedUntil(session: Session, { selection, after }: Part): Promise<string | undefined> {
  const whole = { ...selection, values: selection.unfiltered };
  const [last] = await readAt(session, { selection: whole, after, offset: LOOKED - 1, most: 1 });
  return last && metadataOf(last.payload).uri;
}

function statementFor({ selection, after, most, bytes, shadowed }: Part): {
  text: string;
  values: unknown[];
} {
  const values = [...selection.values];
  const add = (value: unknown) => `$${values.push(value)}`;
  const { from, where, uri } = through(selection, after === undefined ? undefined : add(after));
  const selected = (columns: string, joins: string) => `SELECT ${columns}
    FROM ${from} ${joins}
    WHERE ${where.join(' AND ')}
    ORDER BY ${uri} LIMIT ${add(most)}`;
  const sized = most > FEW ? ', octet_length(s.payload) AS size' : '';
  const cut = (text: string) => (sized ? cutAt(text, add(bytes)) : text);
  const inner = shadowed
    ? `SELECT ${DESCRIPTION_COLUMNS}${sized && ', listed.bytes'} FROM (${cut(selected(`${uri} AS uri${sized}`, ''))}) AS listed
       JOIN registry.statement AS s ON s.uri = listed.uri ${DESCRIPTION_JOINS}`
    : cut(selected(`${DESCRIPTION_COLUMNS}${sized}`, DESCRIPTION_JOINS));
  const text = `SELECT h.version, h.mark, x.* FROM registry.head AS h LEFT JOIN LATERAL (${inner}) AS x ON true
    WHERE h.id = 1 ORDER BY x.uri`;
  return { text, values };
}

/** The first rows, up to the one with which their sizes come to so many bytes. */
function cutAt(text: string, bytes: string): string {
  return `SELECT * FROM (
      SELECT sized.*, sum(sized.size) OVER (ORDER BY sized.uri) AS bytes FROM (${text}) AS sized
    ) AS summed WHERE bytes - size < ${bytes}::bigint`;
}

/** The uri before which a page of so many components ends, and whether there are more. */
export async function endOfPart(
  session: Session,
  { selection, after, most }: Pick<Part, 'selection' | 'after' | 'most'>,
): Promise<{ readonly last: string; readonly next: string } | undefined> {
  const [last, more] = await readAt(session, { selection, after, offset: most - 1, most: 2 });
  return last && more ? { last: last.uri, next: last.payload } : undefined;
}

/** So many of what is selected, from the one with this number on. */
async function readAt(
  session: Session,
  { selection, after, ...rows }: Pick<Part, 'selection' | 'after' | 'most'> & { readonly offset: number },
): Promise<readonly { readonly uri: string; readonly payload: string }[]> {
  const values = [...selection.values];
  const bound = after === undefined ? undefined : `$${values.push(after)}`;
  const part = inOrder(selection, { ...rows, bound });
  return session.rows(`SELECT s.uri, s.payload FROM (${part}) AS s ORDER BY s.uri`, values);
}
