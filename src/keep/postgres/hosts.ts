import type pg from 'pg';
import type { DatabaseAddress, DatabaseHost } from '../../config/database-address.js';
import { explain } from '../../lib/faults.js';
import { ReadOnlyHost } from './failure.js';

export interface HostsOptions {
  /** The client library. It is loaded when the engine is chosen: nodes that keep their data on disk do without it. */
  readonly driver: typeof pg;
  readonly address: DatabaseAddress;
  /** Connections at a time. */
  readonly connections: number;
  /** What one statement may take, in ms. */
  readonly statementMs: number;
}

/** A connection that nobody else uses until it is released. */
export interface Connection {
  readonly client: pg.PoolClient;
  /** Of several hosts, whichever takes writes now is used from now on, after this connection was lost. */
  leaveHost(): void;
}

/** In ms: waiting for a connection; a connection that nobody uses; a server that says nothing. */
const WAITS = { connect: 5_000, idle: 30_000, silence: 5_000 } as const;

/** Connections to the one of several hosts that takes writes; which one that is may change at any time. */
export class Hosts {
  readonly #options: HostsOptions;
  #pool: Promise<pg.Pool> | undefined;

  constructor(options: HostsOptions) {
    this.#options = options;
  }

  /** @throws ReadOnlyHost when no host takes writes */
  async connect(): Promise<Connection> {
    this.#pool ??= this.#find();
    const finding = this.#pool;
    const leaveHost = () => this.#leave(finding);
    try {
      return { client: await (await finding).connect(), leaveHost };
    } catch (error) {
      leaveHost();
      throw error;
    }
  }

  async close(): Promise<void> {
    const pool = await this.#pool?.catch(() => undefined);
    await pool?.end();
  }

  /** Whoever has a connection already may use it to the end. */
  #leave(former: Promise<pg.Pool>): void {
    // Others may have left it already.
    if (this.#options.address.hosts.length === 1 || this.#pool !== former) return;
    this.#pool = undefined;
    former.then(ended, () => undefined);
  }

  async #find(): Promise<pg.Pool> {
    const { hosts } = this.#options.address;
    const pools = hosts.map((host) => this.#poolOf(host));
    const [only] = pools;
    if (only && pools.length === 1) return only;
    const asked = pools.map(async (pool) => {
      (await pool.connect()).release();
      return pool;
    });
    let chosen: pg.Pool | undefined;
    try {
      chosen = await Promise.any(asked);
      return chosen;
    } catch (error) {
      const errors: unknown[] = (error as AggregateError).errors;
      const said = hosts.map(({ described }, i) => `${described}: ${explain(errors[i])}`);
      throw new ReadOnlyHost(`None of the hosts takes writes: ${said.join('; ')}`, { cause: error });
    } finally {
      for (const pool of pools) if (pool !== chosen) ended(pool);
    }
  }

  #poolOf({ connectionString }: DatabaseHost): pg.Pool {
    const { driver, connections, statementMs } = this.#options;
    const pool = new driver.Pool({
      connectionString,
      application_name: 'component-registry-node',
      connectionTimeoutMillis: WAITS.connect,
      // A server that is gone without a word is noticed by the node itself.
      query_timeout: statementMs + WAITS.silence,
      keepAlive: true,
      max: connections,
      idleTimeoutMillis: WAITS.idle,
      async onConnect(client) {
        await refuseReadOnly(client);
        // As a parameter of the connection PgBouncer would refuse it.
        await client.query(`SET statement_timeout = ${statementMs}`);
      },
    });
    // A connection that breaks while nobody uses it: the pool has let it go already, and the next one is made when needed.
    pool.on('error', () => undefined);
    return pool;
  }
}

function ended(pool: pg.Pool): void {
  pool.end().catch(() => undefined);
}

/** Refuses a host that takes no writes; a server must not answer before a commit is on its disk. */
async function refuseReadOnly(client: Pick<pg.ClientBase, 'query'>): Promise<void> {
  const { rows } = await client.query<{ readonly read_only: string; readonly durability: string | null }>(
    `SELECT current_setting('transaction_read_only') AS read_only,
            current_setting('synchronous_commit', true) AS durability`,
  );
  if (rows[0]?.read_only === 'on') throw new ReadOnlyHost('it takes no writes (a standby?)');
  if (rows[0]?.durability === 'off') await client.query('SET synchronous_commit = on');
}
