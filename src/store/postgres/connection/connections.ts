import type { Pool, PoolClient } from 'pg';
import type { DatabaseAddress, DatabaseHost } from '../../../config/database-address.js';
import { explain } from '../../../lib/faults.js';
import type { Driver } from './driver.js';
import { failureKind, NO_HOST, ReadOnlyHost } from './failure.js';
import { type ConnectionLimits, poolOf } from './pool.js';

/** Connections to the one of several hosts that takes writes; which one that is may change at any time. */
export class Connections {
  readonly #driver: Driver;
  readonly #address: DatabaseAddress;
  readonly #limits: ConnectionLimits;
  readonly #pools = new Map<DatabaseHost, Pool>();
  /** The host that took writes the last time. */
  #writable = 0;
  #closed = false;

  constructor(driver: Driver, address: DatabaseAddress, limits: ConnectionLimits) {
    this.#driver = driver;
    this.#address = address;
    this.#limits = limits;
  }

  /** Connections at a time, at most. */
  get most(): number {
    return this.#limits.connections;
  }

  get described(): string {
    return this.#address.described;
  }

  /**
   * A connection to a host that takes writes, to be released: with an error when it is not to be used again. Every host is
   * tried once, beginning with the last good one. @throws the error of the only host, or what each of them says
   */
  async acquire(): Promise<PoolClient> {
    if (this.#closed) throw new Error('The database is closed');
    const { hosts } = this.#address;
    const failures: { host: DatabaseHost; error: unknown }[] = [];
    for (let turn = 0; turn < hosts.length; turn++) {
      const place = (this.#writable + turn) % hosts.length;
      const host = hosts[place];
      if (!host) continue;
      try {
        const client = await this.#pool(host).connect();
        this.#writable = place;
        return client;
      } catch (error) {
        // The right host, which has no connection left: the others would not do.
        if (failureKind(error) === 'busy') throw error;
        failures.push({ host, error });
      }
    }
    const [first] = failures;
    if (failures.length === 1 && first) throw first.error;
    const said = failures.map(({ host, error }) => `${host.described}: ${explain(error)}`);
    throw new ReadOnlyHost(`${NO_HOST}: ${said.join('; ')}`, { cause: first?.error });
  }

  /** Begins anew with the next host, where there are several. */
  lookElsewhere(): void {
    if (this.#address.hosts.length === 1) return;
    this.#writable = (this.#writable + 1) % this.#address.hosts.length;
    this.reset();
  }

  /** Ends all connections, and makes new ones when they are asked for: the hosts have changed their parts. */
  reset(): void {
    for (const pool of this.#pools.values()) void pool.end().catch(() => undefined);
    this.#pools.clear();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#pools.values()].map((pool) => pool.end()));
  }

  #pool(host: DatabaseHost): Pool {
    const known = this.#pools.get(host);
    if (known) return known;
    const pool = poolOf(this.#driver, host, this.#limits, prepare);
    this.#pools.set(host, pool);
    return pool;
  }
}

interface SessionSettings {
  readonly read_only: string;
  readonly durability: string | null;
}

/** Refuses a host that takes no writes, and a server that would answer before a commit is on its disk. */
async function prepare(client: Pick<PoolClient, 'query'>): Promise<void> {
  const { rows } = await client.query<SessionSettings>(
    `SELECT current_setting('transaction_read_only') AS read_only,
            current_setting('synchronous_commit', true) AS durability`,
  );
  const [settings] = rows;
  if (settings?.read_only === 'on') throw new ReadOnlyHost('it takes no writes (a standby?)');
  if (settings?.durability === 'off') await client.query('SET synchronous_commit = on');
}
