import type pg from 'pg';
import type { DatabaseAddress, DatabaseHost } from '../../config/database-address.js';
import { explain } from '../../lib/faults.js';
import { failureKind, ReadOnlyHost } from './failure.js';

/** The client library. It is loaded when the engine is chosen: nodes that keep their data on disk do without it. */
export type Driver = typeof pg;

export interface HostsOptions {
  readonly driver: Driver;
  readonly address: DatabaseAddress;
  /** Connections at a time. */
  readonly connections: number;
  /** What one statement may take, in ms. */
  readonly statementMs: number;
}

/**
 * In ms: waiting for a connection; for a lock; an open transaction of which nothing is heard, which is shorter than a lease lasts, so that
 * a node that is paused does not keep the head from others; a connection that nobody uses; a server that says nothing.
 */
const WAITS = {
  connect: 5_000,
  lock: 10_000,
  idleTransaction: 10_000,
  idle: 30_000,
  silence: 5_000,
} as const;
/** What PostgreSQL calls the type of 64-bit integers. */
const INT8 = 20;

/** Connections to the one of several hosts that takes writes; which one that is may change at any time. */
export class Hosts {
  readonly #options: HostsOptions;
  #pool: Promise<HostPool> | undefined;
  readonly #poolOf = new WeakMap<pg.PoolClient, Promise<HostPool>>();
  #closed = false;

  constructor(options: HostsOptions) {
    this.#options = options;
  }

  get described(): string {
    return this.#options.address.described;
  }

  /** To be released: with an error when the connection is not to be used again. @throws ReadOnlyHost when no host takes writes */
  async connect(): Promise<pg.PoolClient> {
    if (this.#closed) throw new Error('The keep is closed');
    const finding = this.#pool ?? this.#find();
    this.#pool = finding;
    try {
      const client = await (await finding).pool.connect();
      this.#poolOf.set(client, finding);
      return client;
    } catch (error) {
      // Connections that were all in use for too long may still be of use, unless it is the host that keeps them waiting.
      const isInUse = failureKind(error) === 'late' && (await (await finding).answers());
      if (!isInUse) this.#leave(finding);
      throw error;
    }
  }

  /**
   * Begins anew with whichever host takes writes, after this connection was lost. Of several hosts, whatever waits for an answer of the
   * same one waits no longer.
   */
  leave(client: pg.PoolClient): void {
    this.#leave(this.#poolOf.get(client));
  }

  #leave(former: Promise<HostPool> | undefined): void {
    // Others may have left it already.
    if (this.#options.address.hosts.length === 1 || this.#pool !== former) return;
    this.#pool = undefined;
    former?.then(
      (pool) => pool.leave(),
      () => undefined,
    );
  }

  async close(): Promise<void> {
    this.#closed = true;
    const pool = await this.#pool?.catch(() => undefined);
    await pool?.pool.end();
  }

  async #find(): Promise<HostPool> {
    const { address } = this.#options;
    const pools = address.hosts.map((host) => new HostPool(this.#options, host));
    const [only] = pools;
    if (only && pools.length === 1) return only;
    const asked = pools.map(async (one) => {
      const client = await one.pool.connect();
      client.release();
      return one;
    });
    const chosen = await Promise.any(asked).catch((error) => {
      for (const pool of pools) pool.leave();
      const said = address.hosts.map(({ described }, i) => `${described}: ${explain(error.errors?.[i])}`);
      throw new ReadOnlyHost(`None of the hosts takes writes: ${said.join('; ')}`, { cause: error });
    });
    for (const pool of pools) if (pool !== chosen) pool.leave();
    return chosen;
  }
}

/** A pool of connections to one host that knows which of them have been made. */
class HostPool {
  readonly pool: pg.Pool;
  readonly #newClient: () => pg.Client;
  readonly #open = new Set<pg.PoolClient>();

  constructor({ driver, connections, statementMs }: HostsOptions, { connectionString }: DatabaseHost) {
    const settings = {
      connectionString,
      application_name: 'component-registry-node',
      types: typesOf(driver),
      connectionTimeoutMillis: WAITS.connect,
      statement_timeout: statementMs,
      lock_timeout: WAITS.lock,
      idle_in_transaction_session_timeout: WAITS.idleTransaction,
      // A server that is gone without a word is noticed by the node itself.
      query_timeout: statementMs + WAITS.silence,
      keepAlive: true,
    };
    this.#newClient = () => new driver.Client(settings);
    this.pool = new driver.Pool({
      ...settings,
      max: connections,
      idleTimeoutMillis: WAITS.idle,
      onConnect: refuseReadOnly,
    });
    // A connection that breaks while nobody uses it: the pool has let it go already, and the next one is made when needed.
    this.pool.on('error', () => undefined);
    this.pool.on('connect', (client) => this.#open.add(client));
    this.pool.on('remove', (client) => this.#open.delete(client));
  }

  /** Does the host take writes? It is asked on a connection of its own: those of the pool may all be in use. */
  async answers(): Promise<boolean> {
    const client = this.#newClient();
    client.on('error', () => undefined);
    try {
      await client.connect();
      await refuseReadOnly(client);
      return true;
    } catch (error) {
      return failureKind(error) === 'busy';
    } finally {
      void client.end().catch(() => undefined);
    }
  }

  /** Ends all connections; what waits for an answer fails. */
  leave(): void {
    const open = [...this.#open];
    if (!this.pool.ending) void this.pool.end().catch(() => undefined);
    for (const client of open) void client.end().catch(() => undefined);
  }
}

/** 64-bit integers as numbers, because none of ours is larger than 2^53. */
function typesOf({ types }: Driver): pg.CustomTypesConfig {
  return {
    getTypeParser(oid: number, format?: 'text' | 'binary') {
      return oid === INT8 ? Number : types.getTypeParser(oid, format);
    },
  } as pg.CustomTypesConfig;
}

interface SessionSettings {
  readonly read_only: string;
  readonly durability: string | null;
}

/** Refuses a host that takes no writes; a server must not answer before a commit is on its disk. */
async function refuseReadOnly(client: Pick<pg.ClientBase, 'query'>): Promise<void> {
  const { rows } = await client.query<SessionSettings>(
    `SELECT current_setting('transaction_read_only') AS read_only,
            current_setting('synchronous_commit', true) AS durability`,
  );
  const [settings] = rows;
  if (settings?.read_only === 'on') throw new ReadOnlyHost('it takes no writes (a standby?)');
  if (settings?.durability === 'off') await client.query('SET synchronous_commit = on');
}
