import type { CheckedWrites } from '../checked-writes.js';
import { KeepDamaged } from '../faults.js';
import type { Head, Reads, Row, RowBatch } from '../keep.js';
import { isOfQuads, quadRows, quadsInRows } from '../quad-rows.js';
import { readAhead } from '../read-ahead.js';
import { LEASE_LIFETIME, type LeaseName, type Turn } from '../service-keep.js';
import { StoredRow, sealOf, toBeStored } from '../stored-row.js';
import type { Query } from './database.js';

/**
 * Heads that are remembered, each with the rows that its commit deleted, which have no value until then: who is farther behind
 * loads anew.
 */
const REMEMBERED = 10_000;
/** Rows that one statement reads, and writes. */
const [READ, WRITTEN] = [1_000, 500];
const LIFETIME = `interval '${LEASE_LIFETIME / 1_000} seconds'`;
/** A lease that has longer to go was written before the clock of the database was set back; who still has it renews it soon. */
const LONGEST = `interval '${(2 * LEASE_LIFETIME) / 1_000} seconds'`;

const OURS = 'service = $1 AND name = $2 AND fence = $3';
/** What is done with leases, of a service, a name and a fence. */
const LEASES = {
  take: `INSERT INTO keep.lease AS held (service, name, fence, until) VALUES ($1, $2, $3, now() + ${LIFETIME})
    ON CONFLICT (service, name) DO UPDATE SET fence = excluded.fence, until = excluded.until
    WHERE held.fence = excluded.fence OR held.until NOT BETWEEN now() AND now() + ${LONGEST}
    RETURNING name`,
  renew: `UPDATE keep.lease SET until = now() + ${LIFETIME} WHERE ${OURS}`,
  release: `DELETE FROM keep.lease WHERE ${OURS}`,
  // Locks the row: whoever takes the lease meanwhile waits until this commit has ended.
  holds: `SELECT name FROM keep.lease WHERE ${OURS} FOR UPDATE`,
};

/** Where a row lies in the order of its changes. */
interface RowPlace {
  readonly version: number;
  readonly tbl: string;
  readonly key: string;
}

interface RowColumns extends RowPlace {
  /** None when it is deleted. */
  readonly value: string | null;
  readonly seal: number;
}

// The library gives numbers of 64 bits as texts; none of ours is larger than 2^53.
const HEAD = 'epoch, version::float8 AS version, mark';
const ROW =
  "r.version::float8 AS version, r.tbl, convert_from(r.key, 'UTF8') AS key, r.value, r.seal::float8 AS seal";

/** What the database has of one service, in one session. */
export class ServiceTables implements Turn {
  readonly #asking: Query;
  readonly #service: string;
  /** The database, for messages. */
  readonly #place: string;
  /** The head that has been written. */
  written: Head | undefined;

  constructor(query: Query, service: string, place: string) {
    this.#asking = query;
    this.#service = service;
    this.#place = place;
  }

  // The head, and which there have been.

  /** @param how `FOR UPDATE`, the first lock of every transaction that writes: all other commits wait until this one has ended */
  async head(how: '' | 'FOR UPDATE' = ''): Promise<Head> {
    const [head] = await this.#query<Head>(`SELECT ${HEAD} FROM keep.head WHERE service = $1 ${how}`);
    if (head) return head;
    const what = `there is no head of the service "${this.#service}": was a table emptied by hand?`;
    throw new KeepDamaged(this.#place, what, { way: 'restore a backup of the database' });
  }

  /** Makes the head of a service that has never been here. */
  async createHead({ epoch, version, mark }: Head): Promise<void> {
    const text =
      'INSERT INTO keep.head (service, epoch, version, mark) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING';
    await this.#query(text, epoch, version, mark);
    await this.#rememberHead(await this.head());
  }

  /** After a lost answer: waits until the transaction that has the lock has ended, then tells whether its head is there. */
  async hasHead({ version, mark }: Head): Promise<boolean> {
    await this.head('FOR UPDATE');
    return (await this.markOf(version)) === mark;
  }

  async markOf(version: number): Promise<string | undefined> {
    const text = 'SELECT mark FROM keep.mark WHERE service = $1 AND version = $2';
    return (await this.#query<{ mark: string }>(text, version))[0]?.mark;
  }

  async #rememberHead({ version, mark }: Head): Promise<void> {
    const text = 'INSERT INTO keep.mark (service, version, mark) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING';
    await this.#query(text, version, mark);
  }

  // Rows.

  async *rows(tables: readonly string[], prefix = ''): AsyncGenerator<RowBatch> {
    const head = await this.head();
    for (const table of tables)
      for await (const rows of this.#table(table, prefix)) yield { head, table, rows };
  }

  get = async (table: string, keys: readonly string[]): Promise<ReadonlyMap<string, StoredRow>> => {
    const text = `SELECT ${ROW} FROM keep.row AS r
      WHERE r.service = $1 AND r.tbl = $2 AND r.key = ANY($3::bytea[]) AND r.value IS NOT NULL`;
    const found = await this.#query<RowColumns>(text, table, bytesOf(keys));
    return new Map(found.map((row) => [row.key, this.#checked(row)]));
  };

  quads: Reads['quads'] = (graphs) => quadsInRows(this, graphs);

  /** The rows of a table whose keys begin so, in portions, of which there is at least one. @throws KeepDamaged */
  #table(table: string, prefix: string): AsyncGenerator<StoredRow[]> {
    const text = (how: '>' | '>=') => `SELECT ${ROW} FROM keep.row AS r
      WHERE r.service = $1 AND r.tbl = $2 AND r.key ${how} $3 AND r.value IS NOT NULL
      ORDER BY r.key LIMIT ${READ}`;
    const read = (last?: RowColumns) =>
      this.#query<RowColumns>(text(last ? '>' : '>='), table, Buffer.from(last?.key ?? prefix));
    const rowOf = (row: RowColumns) => (row.key.startsWith(prefix) ? this.#checked(row) : undefined);
    return readAhead(read, READ, rowOf);
  }

  /** @throws KeepDamaged */
  async *behind(version: number): AsyncGenerator<Row[]> {
    const text = `SELECT ${ROW} FROM keep.row AS r
      WHERE r.service = $1 AND r.version >= $2 AND (r.version, r.tbl, r.key) > ($2, $3, $4)
      ORDER BY r.version, r.tbl, r.key LIMIT ${READ}`;
    const read = (last: RowPlace = { version: version + 1, tbl: '', key: '' }) =>
      this.#query<RowColumns>(text, last.version, last.tbl, Buffer.from(last.key));
    const rowOf = (row: RowColumns): Row => {
      const { tbl: table, key, value } = row;
      return value === null || isOfQuads(table) ? { table, key, value: undefined } : this.#checked(row);
    };
    for await (const rows of readAhead(read, READ, rowOf))
      yield rows.filter(({ table }) => !isOfQuads(table));
  }

  /** Moves the head last, and forgets what is no longer remembered then: about as many rows as it deletes itself. */
  async write(writes: CheckedWrites, head: Head): Promise<void> {
    const { epoch, version, mark } = head;
    await this.#writeRows([...writes.rows, ...quadRows(writes)], version);
    const forgotten = version - REMEMBERED;
    await this.#query('DELETE FROM keep.mark WHERE service = $1 AND version <= $2', forgotten);
    const gone = 'DELETE FROM keep.row WHERE service = $1 AND value IS NULL AND version <= $2';
    await this.#query(gone, forgotten);
    await this.#rememberHead(head);
    const text = 'UPDATE keep.head SET epoch = $2, version = $3, mark = $4 WHERE service = $1';
    await this.#query(text, epoch, version, mark);
    this.written = head;
  }

  async #writeRows(rows: readonly Row[], version: number): Promise<void> {
    const text = `INSERT INTO keep.row (service, version, tbl, key, value, seal)
       SELECT $1, $2, t.tbl, t.key, t.value, t.seal
       FROM unnest($3::text[], $4::bytea[], $5::text[], $6::bigint[]) AS t (tbl, key, value, seal)
       ON CONFLICT (service, tbl, key)
       DO UPDATE SET value = excluded.value, seal = excluded.seal, version = excluded.version`;
    for (let at = 0; at < rows.length; at += WRITTEN) {
      const some = rows.slice(at, at + WRITTEN);
      const stored = some.map(toBeStored);
      await this.#query(
        text,
        version,
        some.map(({ table }) => table),
        bytesOf(some.map(({ key }) => key)),
        stored.map((row) => row?.value ?? null),
        stored.map((row) => row?.seal ?? 0),
      );
    }
  }

  #checked({ tbl: table, key, value, seal }: RowColumns): StoredRow {
    if (value !== null && sealOf(table, key, value) === seal) return new StoredRow(table, key, value, seal);
    const bytes = Buffer.from(key).toString('hex');
    const there = `service = '${this.#service}' AND tbl = '${table}' AND key = decode('${bytes}', 'hex')`;
    const out = `DELETE FROM keep.row WHERE ${there}`;
    const then = 'what sources have said is read again then, and what was posted is lost';
    const way = `restore a backup of the database, or stop all nodes and take it out: ${out}; ${then}`;
    const what = `the row "${key}" of the table "${table}" is not what was written`;
    throw new KeepDamaged(this.#place, what, { way });
  }

  holds: Turn['holds'] = (lease) => this.lease('holds', lease);

  endLeases: Turn['endLeases'] = () => this.#query('DELETE FROM keep.lease WHERE service = $1');

  /** True where it was so. The same again does no harm. */
  async lease(how: keyof typeof LEASES, { name, fence }: LeaseName): Promise<boolean> {
    return (await this.#query(LEASES[how], name, fence)).length > 0;
  }

  /** @param values behind the name of the service */
  #query<R extends object>(text: string, ...values: readonly unknown[]): Promise<R[]> {
    return this.#asking<R>(text, [this.#service, ...values]);
  }
}

function bytesOf(keys: readonly string[]): Buffer[] {
  return keys.map((key) => Buffer.from(key));
}
