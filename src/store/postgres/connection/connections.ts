import type { PoolClient } from 'pg';
import type { DatabaseAddress } from '../../../config/database-address.js';
import type { Clock } from '../../../lib/clock.js';
import { explain } from '../../../lib/faults.js';
import { firstAnswer } from '../../../lib/first-answer.js';
import type { Driver } from './driver.js';
import { failureKind, NO_HOST, ReadOnlyHost } from './failure.js';
import { HostPool } from './host-pool.js';
import type { ConnectionLimits } from './pool.js';

/** How long one of several hosts is waited for before the next one is asked, and before all are asked again, in ms. */
const WAITS = { pauseMs: 250, silenceMs: 2_000 } as const;

/** What a connection is for: one is kept for looks, so that it is noticed in time when all others wait in vain. */
export type Purpose = 'work' | 'look';

/** Connections to the one of several hosts that takes writes; which one that is may change at any time. */
export class Connections {
  readonly #driver: Driver;
  readonly #address: DatabaseAddress;
  readonly #limits: ConnectionLimits;
  readonly #clock: Clock;
  readonly #hosts = new Map<number, Record<Purpose, HostPool>>();
  /** The host that took writes the last time, and the one that is asked first. */
  #writable = 0;
  #first = 0;
  /** Of hosts that were silent: in use until it is known that another host takes writes now. */
  #former: { readonly place: number; readonly pool: HostPool }[] = [];
  #closed = false;

  constructor(driver: Driver, address: DatabaseAddress, limits: ConnectionLimits, clock: Clock) {
    this.#driver = driver;
    this.#address = address;
    this.#limits = limits;
    this.#clock = clock;
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
   * tried once, beginning with the last good one; who says nothing does not keep the others from being tried.
   * @throws the error of the only host, or what each of them says
   */
  async acquire(purpose: Purpose = 'work'): Promise<PoolClient> {
    if (this.#closed) throw new Error('The database is closed');
    const { hosts } = this.#address;
    const inTurn = hosts.map((_, turn) => (this.#first + turn) % hosts.length);
    const first = this.#pool(this.#first, purpose);
    // Where one is free, or all are in use: the right host needs no time to be found.
    if (hosts.length === 1 || first.isReadyOrFull) return first.pool.connect();
    const asked = inTurn.map((place) => async () => ({
      place,
      client: await this.#pool(place, purpose).pool.connect(),
    }));
    try {
      const { place, client } = await firstAnswer(asked, {
        ...WAITS,
        clock: this.#clock,
        discard: (late) => late.client.release(),
      });
      this.#found(place);
      return client;
    } catch (error) {
      throw this.#refusal(inTurn, error);
    }
  }

  /** Where another host takes writes than before, whatever waits for an answer of that one waits in vain. */
  #found(place: number): void {
    const former = this.#former;
    this.#former = [];
    this.#first = place;
    if (place === this.#writable) return;
    this.#writable = place;
    for (const other of former) if (other.place !== place) other.pool.leave();
    for (const [other, { work, look }] of this.#hosts) {
      if (other === place) continue;
      this.#hosts.delete(other);
      for (const pool of [work, look]) pool.leave();
    }
  }

  /** What is thrown when no host takes writes. */
  #refusal(inTurn: readonly number[], error: unknown): unknown {
    if (!(error instanceof AggregateError)) return error;
    // The right host, which has no connection left.
    const busy = error.errors.find((one) => failureKind(one) === 'busy');
    if (busy) return busy;
    const said = inTurn.map(
      (place, i) => `${this.#address.hosts[place]?.described}: ${explain(error.errors[i])}`,
    );
    return new ReadOnlyHost(`${NO_HOST}: ${said.join('; ')}`, { cause: error.errors[0] });
  }

  /** Begins anew, with the next host first; connections that are in use end as soon as they are released. */
  lookElsewhere(): void {
    const { hosts } = this.#address;
    if (hosts.length === 1) return;
    this.#first = (this.#first + 1) % hosts.length;
    const former = [...this.#hosts].flatMap(([place, { work, look }]) =>
      [work, look].map((pool) => ({ place, pool })),
    );
    this.#hosts.clear();
    for (const { pool } of former) pool.end();
    this.#former = [...this.#former, ...former].filter(({ pool }) => pool.isOpen);
  }

  async close(): Promise<void> {
    this.#closed = true;
    const all = [...this.#hosts.values()].flatMap(({ work, look }) => [work, look]);
    await Promise.all(all.map(({ pool }) => pool.end()));
  }

  #pool(place: number, purpose: Purpose): HostPool {
    const known = this.#hosts.get(place);
    if (known) return known[purpose];
    const host = this.#address.hosts[place];
    if (!host) throw new RangeError(`There is no host ${place}`);
    const made = (connections: number) =>
      new HostPool(this.#driver, host, { ...this.#limits, connections }, prepare);
    const pools = { work: made(Math.max(this.most - 1, 1)), look: made(1) };
    this.#hosts.set(place, pools);
    return pools[purpose];
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
