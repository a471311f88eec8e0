import { StoredRow, sealOf } from '../stored-row.js';

/** Beside rows and this, the database holds quads, whose keys begin with the name of an index of quadstore. */
export const SCHEMA_KEY = 'schema';
/** The layout of a directory. Those before it are of version 0.2.0, of older ones and of unreleased ones. */
export const SCHEMA = '4';
/** A table that no service can have: of the heads, which are rows, too. */
export const HEAD = { table: 'HEAD', key: 'head' } as const;
/** Digits of a seal in front of the value, so that all have the same length. */
const DIGITS = 8;

export interface RowName {
  readonly service: string;
  readonly table: string;
  readonly key: string;
}

export function rowKey({ service, table, key }: RowName): string {
  return `row/${service}/${table}/${key}`;
}

/** Is it the key of a row, and not of a quad? */
export function isRowKey(text: string): boolean {
  return text.startsWith('row/');
}

/** `undefined` for what is no row. */
export function readRowKey(text: string): RowName | undefined {
  const [, service, table, key] = /^row\/([^/]+)\/([^/]+)\/(.*)$/s.exec(text) ?? [];
  return service === undefined || table === undefined || key === undefined
    ? undefined
    : { service, table, key };
}

/** Where the keys of a table begin that begin with `prefix`, and where those of the table end. */
export function tableRange(service: string, table: string, prefix: string): { gte: string; lt: string } {
  // The character after a slash.
  return { gte: rowKey({ service, table, key: prefix }), lt: `row/${service}/${table}0` };
}

/** What is stored under the key of a row. */
export function sealed({ value, seal }: StoredRow): string {
  return seal.toString(16).padStart(DIGITS, '0') + value;
}

/** The row that was stored; `undefined` when this is not what was stored under that key. */
export function unsealed(table: string, key: string, stored: Buffer): StoredRow | undefined {
  const value = stored.subarray(DIGITS);
  const seal = sealOf(table, key, value);
  const isSame = Number.parseInt(stored.toString('latin1', 0, DIGITS), 16) === seal;
  return isSame ? new StoredRow(table, key, value, seal) : undefined;
}
