import type { Quad } from '@rdfjs/types';
import type { Breather } from '../lib/pace.js';
import type { Row, Writes } from './keep.js';
import { StoredRow } from './stored-row.js';

const TABLE = /^[a-z0-9-]+$/;
/** Bytes of a key: with the names of service and table it fits into an entry of an index of PostgreSQL. */
const LONGEST_KEY = 1_200;
const STORABLE = new Set(['NamedNode', 'BlankNode', 'Literal', 'DefaultGraph']);

/** Writes that name each key once. */
export interface CheckedWrites {
  readonly rows: readonly Row[];
  /** To be checked when they are gone through: see `refuseQuad`. */
  readonly remove: Iterable<Quad>;
  readonly put: Iterable<Quad>;
}

export const NO_WRITES: CheckedWrites = { rows: [], remove: [], put: [] };

/** Looks at rows, giving way to other work. @throws TypeError for what an engine would store as something else; see `Keep` */
export async function checkedWrites(
  { rows = [], quads: { remove = [], put = [] } = {} }: Writes,
  breathe: Breather,
): Promise<CheckedWrites> {
  const last = new Map<string, Row>();
  for (const row of rows) {
    refuseRow(row);
    last.set(`${row.table}\0${row.key}`, row);
    await breathe();
  }
  return { rows: [...last.values()], remove, put };
}

export function isNothing({ rows, remove, put }: CheckedWrites): boolean {
  return rows.length === 0 && [remove, put].every((quads) => quads[Symbol.iterator]().next().done);
}

function refuseRow(row: Row): void {
  const { table, key } = row;
  if (!TABLE.test(table)) throw new TypeError(`"${table}" is no name of a table`);
  if (key === '') throw new TypeError(`A row of the table "${table}" has no key`);
  if (key.length * 3 > LONGEST_KEY && Buffer.byteLength(key) > LONGEST_KEY)
    throw new TypeError(`A key of the table "${table}" has more than ${LONGEST_KEY} bytes`);
  refuseText(key);
  // Bytes are of a row that was stored before, or of JSON, which escapes U+0000 and half characters.
  if (!(row instanceof StoredRow)) refuseText(row.value ?? '');
}

/** @throws TypeError for a quad that cannot be stored */
export function refuseQuad({ subject, predicate, object, graph }: Quad): void {
  for (const { termType, value } of [subject, predicate, object, graph]) {
    if (!STORABLE.has(termType)) throw new TypeError(`A ${termType} cannot be stored`);
    refuseText(value);
  }
}

function refuseText(text: string): void {
  if (!text.isWellFormed()) throw new TypeError('Text with half a character cannot be stored');
  if (text.includes('\0')) throw new TypeError('Text with U+0000 cannot be stored');
}
