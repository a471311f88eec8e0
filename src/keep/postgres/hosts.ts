import type pg from 'pg';
import type { DatabaseAddress, DatabaseHost } from '../../config/database-address.js';
import { EndableSockets } from '../../lib/endable-sockets.js';
import { explain } from '../../lib/faults.js';
import { codeOf, failed, failureKind } from './failure.js';

interface HostsOptions {
  /** The client library. It is loaded when the engine is chosen: nodes that keep their data on disk do without it. */
  readonly driver: typeof pg;
  readonly address: DatabaseAddress;
  /** Connections at a time. */
  readonly connections: number;
  /** What one statement may take, in ms. */
  readonly statementMs: number;
}

/** In ms: waiting for a connection; a connection that nobody uses; a server that says nothing. */
const WAITS = { connect: 5_000, idle: 30_000, silence: 5_000 } as const;

/** Codes of PostgreSQL: of a host that takes no writes, and of a fault that has no code of its own. */
const READ_ONLY = '25006';
const UNNAMED_FAULT = 'XX000';

/** Connections to the one of several hosts that takes writes; which one that is may change at any time. */
export class Hosts {
  readonly #options: HostsOptions;
  /** The one in use, of those that the address names. */
  #number = 0;
  #pool: pg.Pool;
  #isClosed = false;
  /** Of all connections, those included that are being made. */
  readonly sockets = new EndableSockets();

  constructor(options: HostsOptions) {
    this.#options = options;
    this.#pool = this.#poolOf(options.address.hosts[0] as DatabaseHost);
  }

  /**
   * Gives a connection that nobody else uses until it is released. Tries the hosts in turn, each once.
   * @returns `leaveHost`: of several hosts, the next one is used from now on, after this connection was lost
   * @throws what the only one has said, or all of them; that is a fault where one of them has said a fault
   */
  async connect() {
    const { hosts } = this.#options.address;
    const said: string[] = [];
    let fault: unknown;
    for (;;) {
      const pool = this.#pool;
      const { described } = hosts[this.#number] as DatabaseHost;
      const leaveHost = () => this.#leave(pool);
      try {
        return { client: await pool.connect(), leaveHost };
      } catch (error) {
        // That no connection is free says nothing against the host.
        if (hosts.length === 1 || ['late', 'busy'].includes(failureKind(error))) throw error;
        leaveHost();
        if (failureKind(error) === 'fault') fault ??= error;
        said.push(`${described}: ${explain(error)}`);
        if (said.length < hosts.length) continue;
        const code = fault ? (codeOf(fault) ?? UNNAMED_FAULT) : READ_ONLY;
        throw failed(code, `None of the hosts takes writes: ${said.join('; ')}`);
      }
    }
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.#pool.end();
  }

  /** The next host is tried, unless others have left this one already. Whoever has a connection may use it to the end. */
  #leave(former: pg.Pool): void {
    const { hosts } = this.#options.address;
    if (hosts.length === 1 || this.#pool !== former || this.#isClosed) return;
    this.#number = (this.#number + 1) % hosts.length;
    this.#pool = this.#poolOf(hosts[this.#number] as DatabaseHost);
    former.end().catch(() => undefined);
  }

  #poolOf({ connectionString }: DatabaseHost): pg.Pool {
    const { driver, connections, statementMs } = this.#options;
    const pool = new driver.Pool({
      connectionString,
      stream: this.sockets.make,
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

/** Refuses a host that takes no writes; a server must not answer before a commit is on its disk. */
async function refuseReadOnly(client: Pick<pg.ClientBase, 'query'>): Promise<void> {
  const { rows } = await client.query<{ readonly read_only: string; readonly durability: string | null }>(
    `SELECT current_setting('transaction_read_only') AS read_only,
            current_setting('synchronous_commit', true) AS durability`,
  );
  if (rows[0]?.read_only === 'on') throw failed(READ_ONLY, 'it takes no writes (a standby?)');
  if (rows[0]?.durability === 'off') await client.query('SET synchronous_commit = on');
}
