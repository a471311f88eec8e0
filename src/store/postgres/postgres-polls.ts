import { randomUUID } from 'node:crypto';
import { type Source, type SourceKind, sourceKey } from '../../component/source.js';
import { type Lease, LeaseLost, type SharedPolls } from '../../registry/shared-polls.js';
import type { SourceRecord } from '../../registry/source-record.js';
import type { Database } from './connection/database.js';
import type { Session } from './connection/session.js';
import type { Transaction } from './connection/transaction.js';
import { textHash } from './order-key.js';

/** How long a lease lasts of which nothing is heard any more, in seconds. */
export const LEASE_LIFETIME = 15;

type Listener = (source: Source, record: SourceRecord) => void;

/** Leases as rows that end by themselves, and the polls of other nodes by their numbers. */
export class PostgresPolls implements SharedPolls {
  readonly #database: Pick<Database, 'write' | 'change'>;
  readonly #node: string;
  readonly #listeners = new Set<Listener>();
  /** What this node knows to hold. The database may tell of more: a lease whose end it has lost, or never heard of. */
  readonly #held = new Set<PostgresLease>();
  /** The number of the last poll that this node has heard of. */
  #known: number | undefined;

  constructor(database: Pick<Database, 'write' | 'change'>, node: string) {
    this.#database = database;
    this.#node = node;
  }

  async take(source: Source): Promise<Lease | undefined> {
    const key = textHash(sourceKey(source));
    const taken = await this.#database.write((session) => takeLease(session, key, this.#node));
    if (!taken) return undefined;
    const parts = { key, node: this.#node, ...taken, released: () => this.#held.delete(lease) };
    const lease: PostgresLease = new PostgresLease(this.#database, parts);
    this.#held.add(lease);
    return lease;
  }

  watch(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Tells of polls up to this number that other nodes have stored. */
  async tellUntil(session: Session, number: number): Promise<void> {
    const since = this.#known;
    if (since === number) return;
    const rows = since === undefined ? [] : await polledSince(session, since, this.#node);
    this.#known = number;
    for (const { source, record } of rows) for (const listener of this.#listeners) listener(source, record);
  }

  /** Has all leases that this node holds last on. All others end, or a source would never be polled again. */
  async renew(session: Session): Promise<void> {
    const keys = [...this.#held].map(({ key }) => key);
    if (keys.length === 0) return;
    await session.rows(
      `UPDATE registry.lease SET until = now() + $2 * interval '1 second' WHERE node = $1 AND key = ANY($3)`,
      [this.#node, LEASE_LIFETIME, keys],
    );
  }
}

interface LeaseParts {
  readonly key: string;
  readonly node: string;
  readonly token: string;
  readonly record: SourceRecord | undefined;
  /** Told when it is given back. */
  readonly released: () => void;
}

/**
 * A lease has a token, which each change of its poll replaces by another one in the same transaction. A token that is not
 * found says that another node has taken the source, or that the database has lost the latest change of this very poll.
 * Tokens are random: a database that has lost commits would give the same number to two leases.
 */
export class PostgresLease implements Lease {
  readonly record: SourceRecord | undefined;
  readonly #database: Pick<Database, 'change'>;
  readonly #parts: LeaseParts;
  #token: string;

  constructor(database: Pick<Database, 'change'>, parts: LeaseParts) {
    this.#database = database;
    this.#parts = parts;
    this.record = parts.record;
    this.#token = parts.token;
  }

  get key(): string {
    return this.#parts.key;
  }

  /** Has the transaction fail with LeaseLost where it is lost; gives what is to be called when that is committed. */
  prove(transaction: Transaction): () => void {
    const token = randomUUID();
    transaction.later(
      'UPDATE registry.lease SET token = $3 WHERE key = $1 AND token = $2 RETURNING key',
      [this.#parts.key, this.#token, token],
      {
        check: (proven) => {
          if (proven === 0) throw new LeaseLost();
        },
      },
    );
    return () => {
      this.#token = token;
    };
  }

  async release(): Promise<void> {
    const { key, node, released } = this.#parts;
    released();
    await this.#database
      .change((session) =>
        session.rows('DELETE FROM registry.lease WHERE key = $1 AND node = $2 AND token = $3', [
          ...[key, node, this.#token],
        ]),
      )
      // It ends by itself, as the leases of nodes do that have died.
      .catch(() => undefined);
  }
}

interface RecordRow {
  readonly record: string;
}

async function takeLease(
  session: Session,
  key: string,
  node: string,
): Promise<Pick<LeaseParts, 'record' | 'token'> | undefined> {
  await session.rows(
    `INSERT INTO registry.lease (key, node, until) VALUES ($1, '', now()) ON CONFLICT DO NOTHING`,
    [key],
  );
  // A row that another node is just taking is skipped, not waited for. A lease that lasts far longer than any was taken
  // before the clock of the database was set back. A lease may end somewhat later than `now()` allows here: `now()` is the
  // start of this transaction, and the transaction that took the lease may have started later.
  const free = await session.rows(
    `SELECT key FROM registry.lease WHERE key = $1
     AND (until <= now() OR until > now() + $2 * interval '1 second') FOR UPDATE SKIP LOCKED`,
    [key, 4 * LEASE_LIFETIME],
  );
  if (free.length === 0) return undefined;
  const token = randomUUID();
  await session.rows(
    `UPDATE registry.lease SET node = $2, token = $3, until = now() + $4 * interval '1 second' WHERE key = $1`,
    [key, node, token, LEASE_LIFETIME],
  );
  const [row] = await session.rows<RecordRow>('SELECT record FROM registry.source WHERE key = $1', [key]);
  return { token, record: row && (JSON.parse(row.record) as SourceRecord) };
}

interface PolledRow extends RecordRow {
  readonly kind: SourceKind;
  readonly url: string;
}

async function polledSince(session: Session, number: number, node: string) {
  const rows = await session.rows<PolledRow>(
    `SELECT kind, url, record FROM registry.source
     WHERE polled > $1 AND polled_by IS DISTINCT FROM $2 ORDER BY polled`,
    [number, node],
  );
  return rows.map(({ kind, url, record }) => ({
    source: { kind, url },
    record: JSON.parse(record) as SourceRecord,
  }));
}
