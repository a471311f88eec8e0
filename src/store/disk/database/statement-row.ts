import type { Metadata } from '../../../component/metadata.js';
import type { Naming } from '../../../component/naming.js';
import {
  CAPABILITY,
  type Facets,
  type ListingText,
  listingText,
  readFacets,
} from '../../../component/writing/listing-text.js';
import type { EntryFacts } from '../listing/origin.js';

/** The two numbers of a `ListingText`, of eight hexadecimal digits each; then the object itself. */
const HEAD = 16;

/** Begins every row. */
const MARK = 'p';
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

/** The row that is kept beside the quads of a statement, so that a start need not put them together again. */
export function statementRow(metadata: Metadata, naming: Naming, place: StatementPlace): string {
  return entryRow(listingText(metadata, naming), place);
}

/** The same of a listing object that is there already. */
export function entryRow({ text, plain, facets }: ListingText, place: StatementPlace): string {
  return `${placeText(place)}${hexadecimal(plain)}${hexadecimal(facets)}${text}`;
}

export interface StatementRow extends EntryFacts {
  /** The listing object. */
  readonly text: string;
  readonly facets: Facets;
  readonly place: StatementPlace;
}

export function readStatementRow(row: string): StatementRow {
  const place = readPlace(row);
  const head = PLACE + (place.since === undefined ? 0 : DIGITS);
  const plain = Number.parseInt(row.slice(head, head + HEAD / 2), 16);
  const facets = readFacets(row.slice(-Number.parseInt(row.slice(head + HEAD / 2, head + HEAD), 16)));
  return {
    text: row.slice(head + HEAD),
    plain,
    facets,
    place,
    version: facets.version,
    latest: facets.latest,
  };
}

/**
 * How many quads a statement has: the specification's keys write each value as an object, the class is the whole one, and
 * all capabilities are one.
 */
export function quadsOfRow(row: string): number {
  const at = row.indexOf(CAPABILITY);
  // In a string the quotes would be escaped. Only plain names stand behind the capabilities.
  return (at < 0 ? row : row.slice(0, at)).split('{"@').length - (at < 0 ? 1 : 0);
}

export function readPlace(row: string): StatementPlace {
  const at = Number.parseInt(row.slice(1 + DIGITS, 1 + 2 * DIGITS), 36);
  const position = Number.parseInt(row.slice(1, 1 + DIGITS), 36);
  if (row[PLACE - 1] !== 'p') return { position, at, isUpdate: row[PLACE - 1] === 'u' };
  return { position, at, isUpdate: true, since: Number.parseInt(row.slice(PLACE, PLACE + DIGITS), 36) };
}

function placeText({ position, at, isUpdate, since }: StatementPlace): string {
  const what = since === undefined ? (isUpdate ? 'u' : 'c') : `p${digits(since)}`;
  return `${MARK}${digits(position)}${digits(at)}${what}`;
}

function digits(number: number): string {
  return number.toString(36).padStart(DIGITS, '0');
}

function hexadecimal(number: number): string {
  return number.toString(16).padStart(HEAD / 2, '0');
}
