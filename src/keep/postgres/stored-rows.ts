import { grouped } from '../../lib/grouped.js';
import { KeepDamaged } from '../faults.js';
import type { Head, Row, StoredRow } from '../keep.js';
import { isOfQuads } from '../quad-rows.js';
import { sealOf } from '../seal.js';
import type { Session } from './database.js';

/** Rows that one statement reads or writes. */
const READ = 1_000;
const WRITTEN = 500;

interface RowColumns {
  readonly tbl: string;
  readonly key: string;
  readonly value: string;
  readonly seal: number;
  readonly version: number;
}

/** Where a row lies in the order of its changes. */
type Place = Pick<RowColumns, 'version' | 'tbl' | 'key'>;

const COLUMNS = "r.tbl, convert_from(r.key, 'UTF8') AS key, r.value, r.seal, r.version";

/** The rows of one service, in one session. */
export class StoredRows {
  readonly #session: Session;
  readonly #service: string;

  constructor(session: Session, service: string) {
    this.#session = session;
    this.#service = service;
  }

  /** The rows of a table whose keys begin so, in portions, of which there is at least one. @throws KeepDamaged */
  async *table(table: string, prefix: string): AsyncGenerator<StoredRow[]> {
    let next = this.#from(table, prefix, '>=');
    for (let isFirst = true; ; isFirst = false) {
      const found = await next;
      const last = found.at(-1);
      const isMore = found.length === READ && last !== undefined && last.key.startsWith(prefix);
      // The next portion is read while the reader is busy with this one, who hears of a failure, unless he breaks off before.
      if (isMore) {
        next = this.#from(table, last.key, '>');
        next.catch(() => undefined);
      }
      const rows = found.filter(({ key }) => key.startsWith(prefix)).map((row) => this.#checked(row));
      if (rows.length > 0 || isFirst) yield rows;
      if (!isMore) return;
    }
  }

  async get(table: string, keys: readonly string[]): Promise<ReadonlyMap<string, StoredRow>> {
    const found = await this.#session.query<RowColumns>(
      `SELECT ${COLUMNS} FROM keep.row AS r WHERE r.service = $1 AND r.tbl = $2 AND r.key = ANY($3::bytea[])`,
      [this.#service, table, keys.map((key) => Buffer.from(key))],
    );
    return new Map(found.map((row) => [row.key, this.#checked(row)]));
  }

  /** What commits behind a version have written but for quads, each row once, as it is now, in portions. @throws KeepDamaged */
  async *since(version: number): AsyncGenerator<Row[]> {
    yield* this.#goneSince(version);
    let last: Place = { version: version + 1, tbl: '', key: '' };
    for (let isMore = true; isMore; ) {
      const found: RowColumns[] = await this.#session.query<RowColumns>(
        `SELECT ${COLUMNS} FROM keep.row AS r
         WHERE r.service = $1 AND r.version >= $2 AND (r.version, r.tbl, r.key) > ($2, $3, $4)
         ORDER BY r.version, r.tbl, r.key LIMIT ${READ}`,
        [this.#service, last.version, last.tbl, Buffer.from(last.key)],
      );
      isMore = found.length === READ;
      last = found.at(-1) ?? last;
      const rows = found.filter(({ tbl }) => !isOfQuads(tbl)).map((row) => this.#checked(row));
      if (rows.length > 0) yield rows;
    }
  }

  /** Of those that are gone; several commits may have deleted the same one. */
  async *#goneSince(version: number): AsyncGenerator<Row[]> {
    const told = new Set<string>();
    let last: Place = { version: version + 1, tbl: '', key: '' };
    for (let isMore = true; isMore; ) {
      const found: (Place & { is_back: boolean })[] = await this.#session.query(
        `SELECT g.version, g.tbl, convert_from(g.key, 'UTF8') AS key, EXISTS
           (SELECT 1 FROM keep.row AS r WHERE r.service = g.service AND r.tbl = g.tbl AND r.key = g.key) AS is_back
         FROM keep.gone AS g
         WHERE g.service = $1 AND g.version >= $2 AND (g.version, g.tbl, g.key) > ($2, $3, $4)
         ORDER BY g.version, g.tbl, g.key LIMIT ${READ}`,
        [this.#service, last.version, last.tbl, Buffer.from(last.key)],
      );
      isMore = found.length === READ;
      last = found.at(-1) ?? last;
      const fresh = found.filter(({ tbl, key, is_back }) => !is_back && !told.has(`${tbl} ${key}`));
      for (const { tbl, key } of fresh) told.add(`${tbl} ${key}`);
      if (fresh.length > 0) yield fresh.map(({ tbl, key }) => ({ table: tbl, key, value: undefined }));
    }
  }

  async write(rows: readonly Row[], { version }: Pick<Head, 'version'>): Promise<void> {
    const put = rows.filter((row): row is Row & { value: string } => row.value !== undefined);
    for (let at = 0; at < put.length; at += WRITTEN) await this.#put(put.slice(at, at + WRITTEN), version);
    const gone = grouped(
      rows.filter(({ value }) => value === undefined),
      ({ table }) => table,
    );
    for (const [table, some] of gone)
      for (let at = 0; at < some.length; at += WRITTEN)
        await this.#delete(table, some.slice(at, at + WRITTEN), version);
  }

  async #from(table: string, key: string, how: '>' | '>='): Promise<RowColumns[]> {
    return this.#session.query<RowColumns>(
      `SELECT ${COLUMNS} FROM keep.row AS r WHERE r.service = $1 AND r.tbl = $2 AND r.key ${how} $3
       ORDER BY r.key LIMIT ${READ}`,
      [this.#service, table, Buffer.from(key)],
    );
  }

  async #put(rows: readonly (Row & { readonly value: string })[], version: number): Promise<void> {
    await this.#session.query(
      `INSERT INTO keep.row (service, tbl, key, value, seal, version)
       SELECT $1, t.tbl, t.key, t.value, t.seal, $2
       FROM unnest($3::text[], $4::bytea[], $5::text[], $6::bigint[]) AS t (tbl, key, value, seal)
       ON CONFLICT (service, tbl, key)
       DO UPDATE SET value = excluded.value, seal = excluded.seal, version = excluded.version`,
      [
        this.#service,
        version,
        rows.map(({ table }) => table),
        rows.map(({ key }) => Buffer.from(key)),
        rows.map(({ value }) => value),
        rows.map(({ table, key, value }) => sealOf(table, key, value)),
      ],
    );
  }

  async #delete(table: string, rows: readonly Row[], version: number): Promise<void> {
    const keys = rows.map(({ key }) => Buffer.from(key));
    await this.#session.query(
      'DELETE FROM keep.row WHERE service = $1 AND tbl = $2 AND key = ANY($3::bytea[])',
      [this.#service, table, keys],
    );
    if (isOfQuads(table)) return;
    await this.#session.query(
      `INSERT INTO keep.gone (service, version, tbl, key) SELECT $1, $2, $3, t.key FROM unnest($4::bytea[]) AS t (key)`,
      [this.#service, version, table, keys],
    );
  }

  #checked({ tbl: table, key, value, seal }: RowColumns): StoredRow {
    if (sealOf(table, key, value) === seal) return { table, key, value, seal };
    const bytes = Buffer.from(key).toString('hex');
    const there = `service = '${this.#service}' AND tbl = '${table}' AND key = decode('${bytes}', 'hex')`;
    const way = `restore a backup of the database, or stop all nodes and take it out: DELETE FROM keep.row WHERE ${there}; what sources have said is read again then, and what was posted is lost`;
    const what = `the row "${key}" of the table "${table}" is not what was written`;
    throw new KeepDamaged(this.#session.place, what, { way });
  }
}
