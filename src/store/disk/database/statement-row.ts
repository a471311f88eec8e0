import { CAPABILITY } from '../../../component/writing/listing-text.js';

/** Begins every row; those of versions before schema 7 begin with another letter, and repeat the metadata at their end. */
const MARK = 'q';
/** Digits of base 36 of a position and of a time. */
const DIGITS = 9;
/** Mark, position, time, and what it was: created, updated, or pinned otherwise, with another time behind. */
const PLACE = MARK.length + 2 * DIGITS + 1;

/** Uris have no spaces, and every character that they may have sorts behind one: rows are in the order of uris. */
export function statementKey(uri: string, graph: number): string {
  return `${uri} ${graph.toString(36)}`;
}

export function readStatementKey(key: string): { uri: string; graph: number } {
  const space = key.lastIndexOf(' ');
  return { uri: key.slice(0, space), graph: Number.parseInt(key.slice(space + 1), 36) };
}

/** Where a statement stands among the changes. */
export interface StatementPlace {
  /** See `Feed.position`. */
  readonly position: number;
  /** When, ms since the Unix epoch. */
  readonly at: number;
  readonly isUpdate: boolean;
  /** Since when it is said, ms since the Unix epoch, where only its pin has changed `at` that time. */
  readonly since?: number | undefined;
}

/** What is kept beside the quads of a statement: where it stands, and how many quads it has, so that none goes unnoticed. */
export interface StatementRow {
  readonly place: StatementPlace;
  readonly quads: number;
}

export function statementRow({ place: { position, at, isUpdate, since }, quads }: StatementRow): string {
  const what = since === undefined ? (isUpdate ? 'u' : 'c') : `p${digits(since)}`;
  return `${MARK}${digits(position)}${digits(at)}${what}${quads.toString(36)}`;
}

/** Reads rows of earlier versions, too. */
export function readStatementRow(row: string): StatementRow {
  const number = (from: number, to?: number) => Number.parseInt(row.slice(from, to), 36);
  const [position, at] = [number(1, 1 + DIGITS), number(1 + DIGITS, 1 + 2 * DIGITS)];
  const isOfPin = row[PLACE - 1] === 'p';
  const place = isOfPin
    ? { position, at, isUpdate: true, since: number(PLACE, PLACE + DIGITS) }
    : { position, at, isUpdate: row[PLACE - 1] === 'u' };
  return { place, quads: hasText(row) ? quadsOfText(row) : number(PLACE + (isOfPin ? DIGITS : 0)) };
}

/** Is the metadata in it, as in those of versions before schema 7? */
export function hasText(row: string): boolean {
  return row[0] !== MARK;
}

/**
 * How many quads the statement of such a row has: the specification's keys write each value as an object, the class is the
 * whole one, and all capabilities are one.
 */
function quadsOfText(row: string): number {
  const at = row.indexOf(CAPABILITY);
  // In a string the quotes would be escaped. Only plain names stand behind the capabilities.
  return (at < 0 ? row : row.slice(0, at)).split('{"@').length - (at < 0 ? 1 : 0);
}

function digits(number: number): string {
  return number.toString(36).padStart(DIGITS, '0');
}
