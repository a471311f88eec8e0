import type { Pool } from 'pg';
import type { DatabaseAddress, DatabaseHost } from '../../../config/database-address.js';
import type { Clock } from '../../../lib/clock.js';
import type { Driver } from './driver.js';
import { type ConnectionLimits, poolOf } from './pool.js';
import { readingOn, type Session } from './session.js';

/** What a statement may take, in ms: what takes longer is asked of the primary. */
const STATEMENT_MS = 1_500;
const SILENCE_MS = 500;
/** For how long a server is not asked that has failed, or that was behind, in ms. */
const REST = { failed: 5_000, behind: 250 } as const;
const BEGIN = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';

interface Standby {
  readonly pool: Pool;
  /** Time of `Clock` until which it is not asked. */
  restsUntil: number;
  hasFailed: boolean;
}

/**
 * Servers that follow the primary, among which reads are spread. Whatever is wrong with them, readers do not notice: then
 * the primary is asked.
 */
export class Standbys {
  readonly #clock: Clock;
  readonly #standbys: readonly Standby[];
  readonly #most: number;
  #turn = 0;

  constructor(
    driver: Driver,
    { hosts }: DatabaseAddress,
    { connections, statementMs }: ConnectionLimits,
    clock: Clock,
  ) {
    this.#clock = clock;
    this.#most = connections;
    const limits = {
      connections,
      statementMs: Math.min(statementMs, STATEMENT_MS),
      silenceMs: SILENCE_MS,
    };
    const open = (host: DatabaseHost) => poolOf(driver, host, limits);
    this.#standbys = hosts.map((host) => ({ pool: open(host), restsUntil: 0, hasFailed: false }));
  }

  /** May one of them be asked, as far as is known? */
  get isAnswering(): boolean {
    const now = this.#clock.now();
    return this.#standbys.some(({ hasFailed, restsUntil }) => !hasFailed || restsUntil <= now);
  }

  /**
   * Runs statements that change nothing on one of them, each by itself or `consistently`, all on one state. Resolves with
   * `undefined` when none can be asked at present, and when `work` does: it finds the server behind then.
   */
  async read<T>(
    work: (session: Session) => Promise<T | undefined>,
    { consistently }: { readonly consistently: boolean },
  ): Promise<T | undefined> {
    const standby = this.#next();
    if (!standby) return undefined;
    try {
      const client = await standby.pool.connect();
      let result: T | undefined;
      try {
        if (consistently) await client.query(BEGIN);
        result = await work(readingOn(client));
        if (consistently) await client.query('COMMIT');
      } catch (error) {
        client.release(true);
        throw error;
      }
      client.release();
      standby.hasFailed = false;
      if (result === undefined) this.#rest(standby, REST.behind);
      return result;
    } catch {
      // What fails here is asked of the primary, which says what is wrong if it fails there, too.
      standby.hasFailed = true;
      this.#rest(standby, REST.failed);
      return undefined;
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#standbys.map(({ pool }) => pool.end()));
  }

  /** The next one in turn that has a connection left. */
  #next(): Standby | undefined {
    const now = this.#clock.now();
    for (let i = 0; i < this.#standbys.length; i++) {
      this.#turn = (this.#turn + 1) % this.#standbys.length;
      const standby = this.#standbys[this.#turn];
      if (!standby || standby.restsUntil > now) continue;
      const { totalCount, idleCount } = standby.pool;
      if (idleCount > 0 || totalCount < this.#most) return standby;
    }
    return undefined;
  }

  #rest(standby: Standby, ms: number): void {
    standby.restsUntil = this.#clock.now() + ms;
  }
}
