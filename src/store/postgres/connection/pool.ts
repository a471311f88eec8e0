import type { Pool, PoolClient } from 'pg';
import type { DatabaseHost } from '../../../config/database-address.js';
import { type Driver, typesOf } from './driver.js';

/** Bounds of connections; times in ms. */
export interface ConnectionLimits {
  /** Connections at a time. */
  readonly connections: number;
  /** What one statement may take. */
  readonly statementMs: number;
  /** How much longer than a statement may take the server may say nothing; 5 s when absent. */
  readonly silenceMs?: number;
}

/** Waiting for a connection, free or new; for a lock; and an open transaction of which nothing is heard. In ms. */
const WAITS = { connect: 5_000, lock: 10_000, idleTransaction: 15_000, idle: 30_000 } as const;

/** The connections to one host. `prepare` is called with each new one, which is given up if that fails. */
export function poolOf(
  driver: Driver,
  host: DatabaseHost,
  { connections, statementMs, silenceMs = WAITS.connect }: ConnectionLimits,
  prepare?: (client: Pick<PoolClient, 'query'>) => Promise<void>,
): Pool {
  const pool = new driver.Pool({
    connectionString: host.connectionString,
    application_name: 'component-registry-node',
    types: typesOf(driver),
    max: connections,
    connectionTimeoutMillis: Math.min(WAITS.connect, statementMs + silenceMs),
    idleTimeoutMillis: WAITS.idle,
    statement_timeout: statementMs,
    lock_timeout: WAITS.lock,
    idle_in_transaction_session_timeout: WAITS.idleTransaction,
    // A server that is gone without a word is noticed by the node itself.
    query_timeout: statementMs + silenceMs,
    keepAlive: true,
    ...(prepare ? { onConnect: prepare } : {}),
  });
  // A connection that breaks while nobody uses it: the pool has let it go already, and the next one is made when needed.
  pool.on('error', () => undefined);
  return pool;
}
