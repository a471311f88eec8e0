import type { Life } from '../time/life.js';
import type { VirtualTime } from '../time/virtual-time.js';
import { isWriting, run } from './statements.js';
import type { Tables } from './tables.js';

/** Ms from a process to its database, and back. */
const WAY = 1;

/** An error as the client library throws it, with a code of PostgreSQL or of the operating system. */
export function databaseError(code: string): Error {
  return Object.assign(new Error(`the model of a database says ${code}`), { code });
}

export interface ClientParts {
  readonly time: VirtualTime;
  readonly life: Life;
  /** What is committed. */
  readonly committed: () => Tables;
  readonly commit: (tables: Tables) => void;
  /** Waits until nobody else changes anything. */
  readonly lock: (client: ModelClient) => Promise<void>;
  readonly unlock: (client: ModelClient) => void;
  readonly ended: () => void;
}

interface Result {
  readonly rows: readonly object[];
  readonly command: string;
}

/** A transaction has what it found at its beginning, or at its first lock, and what it has changed since. */
interface Transaction {
  readonly isReadOnly: boolean;
  tables?: Tables;
}

/** A connection to the model of a database: of `pg`'s clients as much as src/store/postgres/ uses. */
export class ModelClient {
  readonly #parts: ClientParts;
  readonly #stayAlive: () => void;
  #transaction: Transaction | undefined;
  #broken: Error | undefined;
  /** When it was last heard of. */
  #heard: number;

  constructor(parts: ClientParts) {
    this.#parts = parts;
    this.#heard = parts.time.now;
    this.#stayAlive = parts.life.atEnd(() => this.break(databaseError('08006')));
  }

  /** For how long nothing has been heard of it, in ms. */
  get silence(): number {
    return this.#parts.time.now - this.#heard;
  }

  query(
    query: string | { readonly text: string; readonly values?: readonly unknown[] },
  ): Promise<Result | Result[]> {
    const { text, values = [] } = typeof query === 'string' ? { text: query } : query;
    const { time, life } = this.#parts;
    return new Promise((resolve, reject) => {
      const back = (action: () => void) => time.after(WAY, () => life.run(action));
      time.after(WAY, () => {
        this.#run(text, values).then(
          (result) => back(() => resolve(result)),
          (error) => back(() => reject(error)),
        );
      });
    });
  }

  on(): void {
    // Statements tell of connections that have broken.
  }

  off(): void {
    // Nothing was noted.
  }

  release(): void {
    this.break(databaseError('08003'));
  }

  /** What was not committed is gone. */
  break(error: Error): void {
    if (this.#broken) return;
    this.#broken = error;
    this.#end();
    this.#stayAlive();
    this.#parts.ended();
  }

  #end(): void {
    this.#transaction = undefined;
    this.#parts.unlock(this);
  }

  async #run(text: string, values: readonly unknown[]): Promise<Result | Result[]> {
    const { time, committed, commit, lock } = this.#parts;
    // The first statement of a transaction may come with its beginning.
    const [, begin, first] = /^(BEGIN[^;]*); (.+)$/s.exec(text) ?? [];
    if (begin && first) return [await this.#run(begin, []), await this.#run(first, values)].flat();
    this.#heard = time.now;
    if (this.#broken) throw this.#broken;
    const [command = ''] = text.trim().split(/\s/, 1);
    if (command === 'BEGIN') {
      const isReadOnly = text.includes('READ ONLY');
      this.#transaction = { isReadOnly, ...(isReadOnly ? { tables: committed() } : {}) };
      return { rows: [], command };
    }
    if (command === 'COMMIT' || command === 'ROLLBACK') {
      const { isReadOnly = true, tables } = this.#transaction ?? {};
      if (command === 'COMMIT' && tables && !isReadOnly) commit(tables);
      this.#end();
      return { rows: [], command };
    }
    const transaction = this.#transaction;
    if (isWriting(text)) {
      if (transaction?.isReadOnly) throw databaseError('25006');
      if (!transaction?.tables) await lock(this);
      if (this.#broken) {
        this.#end();
        throw this.#broken;
      }
      this.#heard = time.now;
      if (transaction) transaction.tables ??= committed();
    }
    const { rows = [], tables } = run(text, values, transaction?.tables ?? committed(), time.now);
    if (tables && transaction) transaction.tables = tables;
    else if (tables) commit(tables);
    if (!transaction) this.#parts.unlock(this);
    return { rows, command };
  }
}
