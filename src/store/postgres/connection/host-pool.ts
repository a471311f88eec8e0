import type { Pool, PoolClient } from 'pg';
import type { DatabaseHost } from '../../../config/database-address.js';
import type { Driver } from './driver.js';
import { type ConnectionLimits, poolOf } from './pool.js';

/** A pool of connections to one host that knows which of them have been made. */
export class HostPool {
  readonly pool: Pool;
  readonly #most: number;
  readonly #open = new Set<PoolClient>();

  constructor(
    driver: Driver,
    host: DatabaseHost,
    limits: ConnectionLimits,
    prepare: Parameters<typeof poolOf>[3],
  ) {
    this.pool = poolOf(driver, host, limits, prepare);
    this.#most = limits.connections;
    this.pool.on('connect', (client) => this.#open.add(client));
    this.pool.on('remove', (client) => this.#open.delete(client));
  }

  get isOpen(): boolean {
    return this.#open.size > 0;
  }

  /** Is there no connection to be made: is one free, or are all in use? */
  get isReadyOrFull(): boolean {
    const { idleCount, waitingCount } = this.pool;
    return idleCount > waitingCount || this.#open.size >= this.#most;
  }

  /** Connections that are in use end as soon as they are released. */
  end(): void {
    if (!this.pool.ending) void this.pool.end().catch(() => undefined);
  }

  /** Ends all connections; what waits for an answer fails. */
  leave(): void {
    const open = [...this.#open];
    this.end();
    for (const client of open) void client.end().catch(() => undefined);
  }
}
