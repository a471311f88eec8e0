import { randomUUID } from 'node:crypto';
import type { PoolClient } from 'pg';
import { backOff } from '../../../lib/back-off.js';
import { type Clock, elapsed } from '../../../lib/clock.js';
import { explain, OutcomeUnknown, StoreUnavailable } from '../../../lib/faults.js';
import type { StorageTrouble, StoreLog } from '../../registry-store.js';
import { writeToken } from './claim.js';
import type { Connections, Purpose } from './connections.js';
import { codeOf, explained, failureKind } from './failure.js';
import { readingOn, type Session, sessionOn } from './session.js';
import { Snapshot } from './snapshot.js';
import { PoolTransaction, type Transaction } from './transaction.js';

export interface DatabaseParts {
  readonly connections: Pick<Connections, 'acquire' | 'lookElsewhere' | 'described' | 'most' | 'close'>;
  /** Of real time: no virtual clock hurries a server. */
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: StoreLog;
  /** How long is tried again what failed, in ms; 3 s when absent. */
  readonly patienceMs?: number | undefined;
  /** Names who may write while the database is claimed in this name; see `claim.ts`. */
  readonly holder?: string | undefined;
}

/** How long is tried again what failed: readers get an honest 503 after that, and may come again. */
const PATIENCE = 3_000;
/** So many times as long it is tried to find out what became of a commit: longer than a server keeps a silent transaction. */
const OUTCOME_PATIENCE = 10;
/** A server that says nothing for so long, in ms, when it is only asked whether it is there, is taken to be gone. */
const LONGEST_SILENCE = 5_000;
/** How long an end may take, in ms. */
const LONGEST_END = 1_500;
/** Tries of a transaction that is in conflict with others. */
const CONFLICTS = 20;
const BEGIN_READING = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';
/** Before another try. */
const PAUSES = { first: 15, longest: 750 };

/** The database as one place: which host answers, and what is tried again, is decided here. */
export class Database {
  readonly #connections: DatabaseParts['connections'];
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #log: StoreLog;
  readonly #patience: number;
  readonly #holder: string;
  #trouble: StorageTrouble | undefined;
  #snapshots = 0;
  #closed = false;

  constructor({ connections, clock, random, log, patienceMs = PATIENCE, holder = '' }: DatabaseParts) {
    this.#holder = holder;
    this.#patience = patienceMs;
    this.#connections = connections;
    this.#clock = clock;
    this.#random = random;
    this.#log = log;
  }

  /** Why nothing can be stored at present. */
  get trouble(): StorageTrouble | undefined {
    return this.#trouble;
  }

  /** Is it known that the primary cannot be asked? */
  get isAway(): boolean {
    return this.#trouble?.isUnreadable ?? false;
  }

  get described(): string {
    return this.#connections.described;
  }

  /** Runs statements that change nothing, each by itself. @throws StoreUnavailable */
  read<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#trying(() =>
      this.#onConnection(async (client) => ({ result: await work(readingOn(client)) })),
    );
  }

  /**
   * Runs statements that change something, each by itself; what is done may be done again where nobody heard that it was, so it
   * must not matter how often. @throws StoreUnavailable, StorageFailure
   */
  change<T>(work: (session: Session) => Promise<T>, patience = this.#patience): Promise<T> {
    return this.#trying(
      () => this.#onConnection(async (client) => ({ result: await work(sessionOn(client)) })),
      patience,
    );
  }

  /**
   * Runs statements that take no time, to see whether the database is there. When nothing is heard of a host among several,
   * all further connections are new ones, to whichever takes writes. @throws StoreUnavailable
   */
  async look<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const timeoutMs = LONGEST_SILENCE;
    const looking = async (client: PoolClient) => ({ result: await work(readingOn(client, { timeoutMs })) });
    try {
      return await this.#trying(() => this.#onConnection(looking, 'look'), 0);
    } catch (error) {
      this.#connections.lookElsewhere();
      throw error;
    }
  }

  /** Runs statements that change nothing, all of them on one state. @throws StoreUnavailable */
  readConsistently<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#trying(() =>
      this.#onConnection(async (client) => {
        await client.query(BEGIN_READING);
        const result = await work(readingOn(client));
        await client.query('COMMIT');
        return { result };
      }),
    );
  }

  /**
   * One state, to be read as slowly as somebody reads what is sent to him, and closed. Half of the connections can be used
   * so, and the others are for everybody else. @throws StoreUnavailable
   */
  async snapshot(): Promise<Snapshot> {
    if (this.#snapshots >= this.#connections.most / 2) {
      throw new StoreUnavailable('Too many long listings are being read at once; try again in a moment');
    }
    this.#snapshots += 1;
    const onClose = () => {
      this.#snapshots -= 1;
    };
    try {
      return await this.#trying(() => this.#beginSnapshot(onClose));
    } catch (error) {
      onClose();
      throw error;
    }
  }

  async #beginSnapshot(onClose: () => void): Promise<Attempt<Snapshot>> {
    const client = await this.#connections.acquire();
    try {
      await client.query(BEGIN_READING);
      return { result: new Snapshot(client, { clock: this.#clock, onClose }) };
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  /**
   * Runs a transaction, again from its beginning when it is in conflict with others; so `work` changes nothing but the
   * database. Resolves when the commit is durable. @throws StoreUnavailable, StorageFailure, OutcomeUnknown
   */
  write<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#trying(() => this.#onConnection((client) => this.#transaction(client, work)));
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    // A server that says nothing must not keep the node from ending.
    const closed = this.#connections.close();
    await Promise.race([closed, this.#clock.sleep(LONGEST_END)]);
  }

  /** `ended` tells of a transaction that has done its work and of whose commit nothing was heard. */
  async #transaction<T>(
    client: PoolClient,
    work: (transaction: Transaction) => Promise<T>,
  ): Promise<Attempt<T>> {
    const token = randomUUID();
    const transaction = new PoolTransaction(client, this.#clock);
    const result = await work(transaction);
    writeToken(transaction, token, this.#holder);
    await transaction.flush();
    try {
      const { command } = await client.query('COMMIT');
      if (command === 'COMMIT') return { result };
      throw new Error(`The database answered a commit with ${command}`);
    } catch (error) {
      if (failureKind(error) !== 'lost' && failureKind(error) !== 'busy') throw error;
      return { ended: { result, token } };
    }
  }

  /**
   * Nothing was heard of a commit. Whoever inserts its token first decides: if the transaction has committed, the token is
   * there; if it is under way, this waits for its end; and if this insertion succeeds, the transaction cannot any more.
   */
  async #hasCommitted(token: string): Promise<boolean> {
    const claim =
      'INSERT INTO registry.commit_token (token) VALUES ($1) ON CONFLICT DO NOTHING RETURNING token';
    try {
      const claimed = await this.change(
        (session) => session.rows(claim, [token]),
        OUTCOME_PATIENCE * this.#patience,
      );
      return claimed.length === 0;
    } catch (cause) {
      throw new OutcomeUnknown(
        'The database went away before it could be asked whether the change is stored: look when it answers again',
        { cause },
      );
    }
  }

  async #onConnection<T>(
    work: (client: PoolClient) => Promise<Attempt<T>>,
    purpose?: Purpose,
  ): Promise<Attempt<T>> {
    const client = await this.#connections.acquire(purpose);
    // A connection may break between two statements; the next statement says so.
    const ignore = () => undefined;
    client.on('error', ignore);
    let failure: unknown;
    try {
      const attempt = await work(client);
      failure = attempt.ended;
      return attempt;
    } catch (error) {
      failure = error;
      if (failureKind(error) !== 'lost') failure = await rolledBack(client);
      throw error;
    } finally {
      client.off('error', ignore);
      client.release(failure !== undefined);
    }
  }

  async #trying<T>(attempt: () => Promise<Attempt<T>>, patience = this.#patience): Promise<T> {
    const began = this.#clock.now();
    for (let tries = 1; ; tries++) {
      try {
        const { result, ended } = (await attempt()) as Attempt<T> & Partial<Record<'result', T>>;
        this.#noteSuccess();
        if (!ended) return result as T;
        if (await this.#hasCommitted(ended.token)) return ended.result;
      } catch (error) {
        await this.#pauseOrThrow(error, { tries, isOver: elapsed(began, this.#clock.now()) >= patience });
      }
    }
  }

  async #pauseOrThrow(error: unknown, { tries, isOver }: { tries: number; isOver: boolean }): Promise<void> {
    const kind = failureKind(error);
    if (codeOf(error) === '25006') this.#connections.lookElsewhere();
    if (kind !== 'conflict' && kind !== 'fault') this.#noteFailure(error);
    const isHopeless = kind === 'fault' || kind === 'full' || this.#closed;
    if (isHopeless || (kind === 'conflict' ? tries >= CONFLICTS : isOver)) throw explained(error);
    await this.#clock.sleep(backOff(tries, PAUSES, this.#random));
  }

  #noteSuccess(): void {
    if (!this.#trouble) return;
    this.#trouble = undefined;
    this.#log.warn({ database: this.described }, 'the database answers again');
  }

  #noteFailure(error: unknown): void {
    if (this.#trouble || this.#closed) return;
    const isUnreadable = failureKind(error) !== 'full';
    this.#trouble = { since: this.#clock.now(), error: explain(error), isUnreadable };
    this.#log.warn({ database: this.described, error: explain(error) }, 'the database cannot be used');
  }
}

/** What came of one attempt: a result, or work that was done and may have been committed. */
type Attempt<T> =
  | { readonly result: T; readonly ended?: never }
  | { readonly result?: never; readonly ended: { readonly result: T; readonly token: string } };

async function rolledBack(client: PoolClient): Promise<unknown> {
  return client.query('ROLLBACK').then(
    () => undefined,
    (error: unknown) => error,
  );
}
