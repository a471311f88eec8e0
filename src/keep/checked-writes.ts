import type { Quad } from '@rdfjs/types';
import type { Breather } from '../lib/pace.js';
import type { Row, Writes } from './keep.js';

const TABLE = /^[a-z0-9-]+$/;
/** Bytes of a key: with the names of service and table it fits into an entry of an index of PostgreSQL. */
const LONGEST_KEY = 1_200;
/** Quads between two chances for other work. */
const SLICE = 100;
const STORABLE = new Set(['NamedNode', 'BlankNode', 'Literal', 'DefaultGraph']);

/** Writes that every engine can store: each key once, and no quad both removed and put. */
export interface CheckedWrites {
  readonly rows: readonly Row[];
  readonly remove: readonly Quad[];
  readonly put: readonly Quad[];
}

export const NO_WRITES: CheckedWrites = { rows: [], remove: [], put: [] };

/**
 * Looks at writes, giving way to other work: ten thousand components have a hundred thousand quads.
 * @throws TypeError for what an engine would store as something else; see `Keep`
 */
export async function checkedWrites(
  { rows = [], quads = {} }: Writes,
  breathe: Breather,
): Promise<CheckedWrites> {
  const { remove = [], put = [] } = quads;
  const last = new Map<string, Row>();
  for (const row of rows) {
    refuseRow(row);
    last.set(`${row.table}\0${row.key}`, row);
    await breathe();
  }
  for (const [i, quad] of [...remove, ...put].entries()) {
    refuseQuad(quad);
    if (i % SLICE === 0) await breathe();
  }
  return { rows: [...last.values()], remove, put };
}

export function isNothing({ rows, remove, put }: CheckedWrites): boolean {
  return rows.length + remove.length + put.length === 0;
}

function refuseRow({ table, key, value }: Row): void {
  if (!TABLE.test(table)) throw new TypeError(`"${table}" is no name of a table`);
  if (key === '') throw new TypeError(`A row of the table "${table}" has no key`);
  if (key.length * 3 > LONGEST_KEY && Buffer.byteLength(key) > LONGEST_KEY)
    throw new TypeError(`A key of the table "${table}" has more than ${LONGEST_KEY} bytes`);
  refuseText(key);
  if (value !== undefined) refuseText(value);
}

function refuseQuad({ subject, predicate, object, graph }: Quad): void {
  for (const { termType, value } of [subject, predicate, object, graph]) {
    if (!STORABLE.has(termType)) throw new TypeError(`A ${termType} cannot be stored`);
    refuseText(value);
  }
}

function refuseText(text: string): void {
  if (!text.isWellFormed()) throw new TypeError('Text with half a character cannot be stored');
  if (text.includes('\0')) throw new TypeError('Text with U+0000 cannot be stored');
}
