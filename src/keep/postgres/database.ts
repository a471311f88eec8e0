import type pg from 'pg';
import { backOff } from '../../lib/back-off.js';
import { type Clock, elapsed } from '../../lib/clock.js';
import { explain, OutcomeUnknown } from '../../lib/faults.js';
import type { LogTo } from '../../lib/log.js';
import type { Trouble } from '../keep.js';
import { LEASE_LIFETIME } from '../service-keep.js';
import { explained, type FailureKind, failureKind } from './failure.js';
import type { Hosts } from './hosts.js';

/** Runs a statement, on one connection or inside of one transaction. */
export type Query = <R extends object>(text: string, values?: readonly unknown[]) => Promise<R[]>;

/** What a transaction has done, and how it is found out whether it has committed, when nothing was heard of that. */
export interface Work<T> {
  readonly result: T;
  /** Absent where nothing was written. */
  readonly hasCommitted?: (query: Query) => Promise<boolean>;
}

export interface Patience {
  /**
   * How long a failed statement is tried again, in ms, from its first failure; conflicts are counted instead
   * (`CONFLICTS`).
   */
  readonly patienceMs?: number;
  /** A server that says nothing for so long, in ms, is taken to be gone. */
  readonly silenceMs?: number;
}

interface Borrowing extends Pick<Patience, 'silenceMs'> {
  /** Runs first: whether anybody is there is known soon. */
  readonly begin?: string;
}

interface DatabaseParts {
  readonly hosts: Hosts;
  /** The address, for messages. */
  readonly described: string;
  /** Of real time. */
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: LogTo<'info' | 'warn'>;
  /** Where nothing else is said. */
  readonly patienceMs: number;
  /** What one statement may take, in ms. */
  readonly statementMs: number;
  /** Aborted when the node is to end: what is not done soon after that is broken off. */
  readonly stopping?: AbortSignal | undefined;
}

/** A server that says nothing for so long, in ms, when something begins is taken to be gone. */
export const LONGEST_SILENCE = 4_000;
/** From the time when a node is to end, in ms: what hangs is broken off while there is time left to answer, and to end. */
const STOPPING = 2_500;
/** So many times as long it is tried to find out what became of a commit: longer than a server keeps a silent transaction. */
const OUTCOME_PATIENCE = 10;
/** How long an end may take, in ms: a server that says nothing must not keep a node from ending. */
const LONGEST_END = 1_500;
/** What a statement that writes may take at most, waits for locks included, in ms: less than a lease lasts. */
const LONGEST_STATEMENT = (LEASE_LIFETIME * 2) / 3;
/**
 * For how much of that time a node may say nothing in such a transaction, or take nothing of what it is
 * sent. A node that is paused loses the head before those who wait for it give up.
 */
const SILENCE = 3 / 4;
/** Of one state; whoever reads may do nothing for ten minutes, since nobody waits for locks of a reader as commits do for one another. */
const READING = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
  SET LOCAL idle_in_transaction_session_timeout = 600000`;
/** Tries of a transaction that is in conflict with others; and before another try of anything, in ms. */
const CONFLICTS = 20;
const PAUSES = { first: 15, longest: 750 };

/** After these failures of a commit it is made or not. */
const UNHEARD: readonly FailureKind[] = ['lost', 'busy', 'late'];
/** After these, nothing can be stored at present. */
const TROUBLES: readonly FailureKind[] = ['full', 'lost', 'busy'];

/** The database as one address: which host answers, and what is tried again, is decided here. */
export class Database {
  readonly #parts: DatabaseParts;
  readonly #closing = new AbortController();
  #trouble: Trouble | undefined;

  constructor(parts: DatabaseParts) {
    this.#parts = parts;
    parts.stopping?.addEventListener('abort', () => this.#breakOff());
  }

  /** Why nothing can be stored at present. */
  get trouble(): Trouble | undefined {
    return this.#trouble;
  }

  get described(): string {
    return this.#parts.described;
  }

  /** Runs statements of which it does not matter how often they run. @throws StoreUnavailable, StorageFailure */
  run<T>(work: (query: Query) => Promise<T>, { patienceMs, silenceMs }: Patience = {}): Promise<T> {
    return this.#trying(() => this.#onConnection({ silenceMs }, (_, query) => work(query)), patienceMs);
  }

  /** Reads one state, as slowly as somebody takes what is read. What fails is not tried again. @throws StoreUnavailable */
  async *reading<T>(read: (query: Query) => AsyncIterable<T>): AsyncGenerator<T> {
    const { client, query, giveBack } = await this.#trying(() => this.#borrow({ begin: READING }));
    let hasFailed = false;
    try {
      yield* read(query);
    } catch (error) {
      hasFailed = true;
      this.#noteFailure(error);
      throw explained(error);
    } finally {
      giveBack(!hasFailed && (await rolledBack(client)));
    }
  }

  /**
   * Runs a transaction, again from its beginning when it is in conflict with others, or the connection is lost. Resolves when the
   * commit is durable. @throws StoreUnavailable, StorageFailure, OutcomeUnknown, what `work` throws
   */
  write<T>(work: (query: Query) => Promise<Work<T>>): Promise<T> {
    const statement = Math.min(this.#parts.statementMs, LONGEST_STATEMENT);
    const silence = Math.floor(statement * SILENCE);
    // Not every engine knows the last one.
    const begin = `BEGIN ISOLATION LEVEL READ COMMITTED;
      SET LOCAL statement_timeout = ${statement};
      SET LOCAL idle_in_transaction_session_timeout = ${silence};
      SELECT set_config('tcp_user_timeout', '${silence}', true)
      WHERE current_setting('tcp_user_timeout', true) IS NOT NULL`;
    return this.#trying(async () => {
      const done: { work?: Work<T> } = {};
      try {
        await this.#onConnection({ begin }, async (client, query) => {
          done.work = await work(query);
          const { command } = await client.query('COMMIT');
          if (command !== 'COMMIT') throw new Error(`The database answered a commit with ${command}`);
        });
      } catch (error) {
        const { hasCommitted } = done.work ?? {};
        if (!hasCommitted || !UNHEARD.includes(failureKind(error))) throw error;
        const asking = this.run(hasCommitted, { patienceMs: OUTCOME_PATIENCE * this.#parts.patienceMs });
        const isStored = await asking.catch((cause) => {
          const what = 'The database went away before it could be asked whether the change is stored';
          throw new OutcomeUnknown(`${what}: look when it answers again`, { cause });
        });
        if (!isStored) throw error;
      }
      const { result, hasCommitted } = done.work as Work<T>;
      if (hasCommitted) this.#end('full');
      return result;
    });
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('The database is closed'));
    await Promise.race([this.#parts.hosts.close(), this.#parts.clock.sleep(LONGEST_END)]);
  }

  /** Nobody waits for a server that says nothing when the node is to end. Whether a commit that has been sent is made is unknown then. */
  #breakOff(): void {
    const { clock, hosts } = this.#parts;
    const breakOff = () => {
      this.#closing.abort(new Error('The node ends'));
      hosts.sockets.end();
    };
    // Rejects where everything has ended before.
    clock.sleep(STOPPING, this.#closing.signal).then(breakOff, () => undefined);
  }

  async #onConnection<T>(
    how: Borrowing,
    work: (client: pg.PoolClient, query: Query) => Promise<T>,
  ): Promise<T> {
    const { client, query, giveBack } = await this.#borrow(how);
    try {
      const result = await work(client, query);
      giveBack(true);
      return result;
    } catch (error) {
      giveBack(failureKind(error) !== 'lost' && (await rolledBack(client)));
      throw error;
    }
  }

  async #borrow({ begin = '', silenceMs }: Borrowing) {
    const { client, leaveHost } = await this.#parts.hosts.connect();
    // A connection may break between two statements; the next statement says so.
    const ignore = () => undefined;
    client.on('error', ignore);
    const giveBack = (isUsable: boolean) => {
      if (!isUsable) leaveHost();
      client.off('error', ignore);
      client.release(!isUsable);
    };
    const query: Query = async <R extends object>(text: string, values: readonly unknown[] = []) => {
      const asked = { text, values: [...values], query_timeout: silenceMs };
      const result = await client.query<R & pg.QueryResultRow>(asked);
      const { rows } = result;
      // The timers of the library's queries keep one result after the other until the next major garbage collection.
      result.rows = [];
      return rows;
    };
    const beginning = { text: begin, query_timeout: LONGEST_SILENCE };
    try {
      if (begin) await client.query(beginning);
    } catch (error) {
      giveBack(false);
      throw error;
    }
    return { client, query, giveBack };
  }

  async #trying<T>(attempt: () => Promise<T>, patienceMs = this.#parts.patienceMs): Promise<T> {
    const { clock, random } = this.#parts;
    let conflicts = 0;
    let failedAt: number | undefined;
    for (let tries = 1; ; tries++) {
      const began = clock.now();
      try {
        const result = await attempt();
        this.#end('unreachable');
        return result;
      } catch (error) {
        const kind = failureKind(error);
        this.#noteFailure(error);
        const now = clock.now();
        if (kind === 'conflict') conflicts += 1;
        // A wait for a free connection has used this time already: it counts from where it began.
        else failedAt ??= kind === 'late' ? began : now;
        const isOver =
          kind === 'conflict' ? conflicts >= CONFLICTS : elapsed(failedAt ?? now, now) >= patienceMs;
        const isClosed = this.#closing.signal.aborted;
        if (kind === 'fault' || kind === 'full' || isClosed || isOver) throw explained(error);
        await clock.sleep(backOff(tries, PAUSES, random));
      }
    }
  }

  #noteFailure(error: unknown): void {
    const failure = failureKind(error);
    if (this.#closing.signal.aborted || !TROUBLES.includes(failure)) return;
    const kind = failure === 'full' ? 'full' : 'unreachable';
    // Where nothing answers any more, that is what people have to know.
    if (this.#trouble && (kind === 'full' || this.#trouble.kind === kind)) return;
    this.#trouble = { kind, since: this.#parts.clock.now(), error: explain(error) };
    const { error: said } = this.#trouble;
    this.#parts.log.warn({ database: this.described, error: said }, 'the database cannot be used');
  }

  #end(kind: Trouble['kind']): void {
    if (this.#trouble?.kind !== kind) return;
    this.#trouble = undefined;
    const said = kind === 'full' ? 'the database can store something again' : 'the database answers again';
    this.#parts.log.info({ database: this.described }, said);
  }
}

async function rolledBack(client: pg.PoolClient): Promise<boolean> {
  return client.query('ROLLBACK').then(
    () => true,
    () => false,
  );
}
