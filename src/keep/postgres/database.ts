import type pg from 'pg';
import { backOff } from '../../lib/back-off.js';
import { type Clock, elapsed } from '../../lib/clock.js';
import { explain, OutcomeUnknown } from '../../lib/faults.js';
import type { LogTo } from '../../lib/log.js';
import type { Trouble } from '../keep.js';
import { explained, failureKind } from './failure.js';
import type { Hosts } from './hosts.js';

/** Runs statements, on one connection or inside of one transaction. */
export interface Session {
  /** The database, for messages. */
  readonly place: string;
  query<R extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<R[]>;
}

/** What a transaction has done, and how it is found out whether it has committed, when nothing was heard of that. */
export interface Work<T> {
  readonly result: T;
  /** Absent where nothing was written. */
  readonly hasCommitted?: (session: Session) => Promise<boolean>;
}

export interface DatabaseParts {
  readonly hosts: Hosts;
  /** Of real time. */
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: LogTo<'info' | 'warn'>;
  /** How long is tried again what failed, in ms. */
  readonly patienceMs: number;
}

/** So many times as long it is tried to find out what became of a commit: longer than a server keeps a silent transaction. */
const OUTCOME_PATIENCE = 10;
/** A server that says nothing for so long, in ms, when it is only asked whether it is there, is taken to be gone. */
const LONGEST_SILENCE = 4_000;
/** How long an end may take, in ms: a server that says nothing must not keep a node from ending. */
const LONGEST_END = 1_500;
/** How long whoever reads may do nothing, in ms: nobody waits for locks of a reader, as commits do for one another. */
const SLOWEST_READER = 600_000;
/** Tries of a transaction that is in conflict with others; and before another try of anything, in ms. */
const CONFLICTS = 20;
const PAUSES = { first: 15, longest: 750 };
/** The database as one address: which host answers, and what is tried again, is decided here. */
export class Database {
  readonly #parts: DatabaseParts;
  readonly #troubles = new Map<Trouble['kind'], Trouble>();
  readonly #closing = new AbortController();

  constructor(parts: DatabaseParts) {
    this.#parts = parts;
  }

  /** Why nothing can be stored at present. */
  get trouble(): Trouble | undefined {
    return this.#troubles.get('unreachable') ?? this.#troubles.get('full');
  }

  get described(): string {
    return this.#parts.hosts.described;
  }

  /** Runs statements of which it does not matter how often they run. @throws KeepUnavailable, KeepFull */
  run<T>(work: (session: Session) => Promise<T>, patienceMs = this.#parts.patienceMs): Promise<T> {
    return this.#trying(() => this.#onConnection((client) => work(this.#sessionOn(client))), patienceMs);
  }

  /** Runs statements that take no time, to see whether the database is there. @throws KeepUnavailable */
  look<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const looking = (client: pg.PoolClient) => work(this.#sessionOn(client, LONGEST_SILENCE));
    return this.#trying(() => this.#onConnection(looking), 0);
  }

  /** Reads one state, as slowly as somebody takes what is read. What fails is not tried again. @throws KeepUnavailable */
  async *reading<T>(read: (session: Session) => AsyncIterable<T>): AsyncGenerator<T> {
    const { client, giveBack } = await this.#trying(() => this.#beginReading());
    let hasFailed = false;
    try {
      yield* read(this.#sessionOn(client));
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
   * commit is durable. @throws KeepUnavailable, KeepFull, OutcomeUnknown, what `work` throws
   */
  write<T>(work: (session: Session) => Promise<Work<T>>): Promise<T> {
    return this.#trying(async () => {
      const { result, hasWritten, inDoubt } = await this.#onConnection(
        (client) => transaction(client, this.#sessionOn(client), work),
        (ended) => !ended.inDoubt,
      );
      if (inDoubt && !(await this.#settled(inDoubt)))
        throw new Conflict('The connection was lost before the commit');
      if (hasWritten) this.#end('full');
      return result;
    });
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort(new Error('The database is closed'));
    await Promise.race([this.#parts.hosts.close(), this.#parts.clock.sleep(LONGEST_END)]);
  }

  async #settled(hasCommitted: (session: Session) => Promise<boolean>): Promise<boolean> {
    try {
      const asking = (client: pg.PoolClient) =>
        transaction(client, this.#sessionOn(client), async (session) => ({
          result: await hasCommitted(session),
        }));
      const patienceMs = OUTCOME_PATIENCE * this.#parts.patienceMs;
      const { result } = await this.#trying(() => this.#onConnection(asking), patienceMs);
      return result;
    } catch (cause) {
      throw new OutcomeUnknown(
        'The database went away before it could be asked whether the change is stored: look when it answers again',
        { cause },
      );
    }
  }

  async #beginReading(): Promise<Borrowed> {
    const borrowed = await this.#borrow();
    try {
      await borrowed.client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      await borrowed.client.query(`SET LOCAL idle_in_transaction_session_timeout = ${SLOWEST_READER}`);
      return borrowed;
    } catch (error) {
      borrowed.giveBack(false);
      throw error;
    }
  }

  /** `isUsable`: may the connection be used again after that? */
  async #onConnection<T>(
    work: (client: pg.PoolClient) => Promise<T>,
    isUsable: (result: T) => boolean = () => true,
  ): Promise<T> {
    const { client, giveBack } = await this.#borrow();
    let isGood = false;
    try {
      const result = await work(client);
      isGood = isUsable(result);
      return result;
    } catch (error) {
      if (failureKind(error) !== 'lost') isGood = await rolledBack(client);
      throw error;
    } finally {
      giveBack(isGood);
    }
  }

  async #borrow(): Promise<Borrowed> {
    const { hosts } = this.#parts;
    const client = await hosts.connect();
    client.on('error', ignore);
    const giveBack = (isUsable: boolean) => {
      if (!isUsable) hosts.leave(client);
      client.off('error', ignore);
      client.release(!isUsable);
    };
    return { client, giveBack };
  }

  #sessionOn(client: pg.PoolClient, timeoutMs?: number): Session {
    const timeout = timeoutMs === undefined ? {} : { query_timeout: timeoutMs };
    return {
      place: this.described,
      async query<R extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []) {
        const result = await client.query<R>({ text, values: [...values], ...timeout });
        const { rows } = result;
        // The timers of the library's queries keep one result after the other until the next major garbage collection.
        result.rows = [];
        return rows;
      },
    };
  }

  async #trying<T>(attempt: () => Promise<T>, patienceMs = this.#parts.patienceMs): Promise<T> {
    const { clock, random } = this.#parts;
    const began = clock.now();
    for (let tries = 1; ; tries++) {
      try {
        const result = await attempt();
        this.#end('unreachable');
        return result;
      } catch (error) {
        const kind = error instanceof Conflict ? 'conflict' : failureKind(error);
        this.#noteFailure(error);
        const isOver = kind === 'conflict' ? tries >= CONFLICTS : elapsed(began, clock.now()) >= patienceMs;
        const isClosed = this.#closing.signal.aborted;
        if (kind === 'fault' || kind === 'full' || isClosed || isOver) throw explained(error);
        await clock.sleep(backOff(tries, PAUSES, random));
      }
    }
  }

  #noteFailure(error: unknown): void {
    const failure = failureKind(error);
    if (failure === 'full') this.#begin('full', error);
    if (failure === 'lost' || failure === 'busy') this.#begin('unreachable', error);
  }

  #begin(kind: Trouble['kind'], error: unknown): void {
    if (this.#troubles.has(kind) || this.#closing.signal.aborted) return;
    const said = explain(error);
    this.#troubles.set(kind, { kind, since: this.#parts.clock.now(), error: said });
    this.#parts.log.warn({ database: this.described, error: said }, 'the database cannot be used');
  }

  #end(kind: Trouble['kind']): void {
    if (!this.#troubles.delete(kind)) return;
    const said = kind === 'full' ? 'the database can store something again' : 'the database answers again';
    this.#parts.log.info({ database: this.described }, said);
  }
}

/** The same again may succeed at once. */
class Conflict extends Error {}

/** A connection may break between two statements; the next statement says so. */
function ignore(): void {
  // Nobody waits for an answer.
}

/** A connection that nobody else uses until it is given back, broken or not. */
interface Borrowed {
  readonly client: pg.PoolClient;
  readonly giveBack: (isUsable: boolean) => void;
}

interface Ended<T> {
  readonly result: T;
  readonly hasWritten: boolean;
  /** Present when nothing was heard of the commit. */
  readonly inDoubt?: (session: Session) => Promise<boolean>;
}

async function transaction<T>(
  client: pg.PoolClient,
  session: Session,
  work: (session: Session) => Promise<Work<T>>,
): Promise<Ended<T>> {
  await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
  const { result, hasCommitted } = await work(session);
  try {
    const { command } = await client.query('COMMIT');
    if (command !== 'COMMIT') throw new Error(`The database answered a commit with ${command}`);
    return { result, hasWritten: hasCommitted !== undefined };
  } catch (error) {
    const kind = failureKind(error);
    if (!hasCommitted || (kind !== 'lost' && kind !== 'busy' && kind !== 'late')) throw error;
    return { result, hasWritten: true, inDoubt: hasCommitted };
  }
}

async function rolledBack(client: pg.PoolClient): Promise<boolean> {
  return client.query('ROLLBACK').then(
    () => true,
    () => false,
  );
}
