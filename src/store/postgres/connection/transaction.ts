import type { PoolClient, QueryResult, QueryResultRow } from 'pg';
import { type Clock, elapsed } from '../../../lib/clock.js';
import { type Session, sessionOn } from './session.js';

const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED';

export interface ChangeOptions {
  /** Another statement, of the same parameters, whose rows it reads under this name. */
  readonly with?: { readonly name: string; readonly text: string };
  /** Told how many rows it has returned; what it throws ends the transaction. */
  readonly check?: (rows: number) => void;
}

/** Of many rows they are put together when they are sent, and not all at once. */
type Values = readonly unknown[] | (() => readonly unknown[]);

interface Change extends ChangeOptions {
  readonly text: string;
  readonly values: Values;
}

/** Statements that belong together: all of them are carried out or none. */
export interface Transaction extends Session {
  /** Has a statement that changes rows carried out with the next `flush`, or at the end of the transaction. */
  later(text: string, values: Values, options?: ChangeOptions): void;
  /** Carries out what was to be done later: needed before that is read again. */
  flush(): Promise<void>;
  /** To be called during long work: a server ends transactions of which it hears nothing for some seconds. */
  stay(): Promise<void>;
}

/** After so many ms in which nothing was said, something is. */
const SILENCE = 3_000;

/**
 * While a transaction holds the lock of the head, all other nodes wait, and each way to the server and back takes as long as many
 * a statement. So statements that change different tables are sent as one. Those that change the same table are sent one after
 * the other: only some engines of this protocol would take them together, and none says in which order.
 */
export class PoolTransaction implements Transaction {
  readonly #client: PoolClient;
  readonly #clock: Clock;
  #hasBegun = false;
  /** When the last statement was sent. */
  #said = 0;
  #waiting: Change[] = [];

  constructor(client: PoolClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** A first statement without parameters is sent together with the beginning of the transaction. */
  async rows<R extends QueryResultRow>(text: string, values: readonly unknown[] = [], name?: string) {
    this.#said = this.#clock.now();
    if (this.#hasBegun) return sessionOn(this.#client).rows<R>(text, values, name);
    this.#hasBegun = true;
    if (values.length === 0) {
      const results: unknown = await this.#client.query(`${BEGIN}; ${text}`);
      return (results as readonly QueryResult<R>[])[1]?.rows ?? [];
    }
    await this.#client.query(BEGIN);
    return sessionOn(this.#client).rows<R>(text, values, name);
  }

  later(text: string, values: Values, options?: ChangeOptions): void {
    this.#waiting.push({ text, values, ...options });
  }

  async flush(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const changes of inSteps(waiting)) await this.#carryOut(changes);
  }

  async stay(): Promise<void> {
    if (this.#hasBegun && elapsed(this.#said, this.#clock.now()) > SILENCE) await this.rows('SELECT 1');
  }

  async #carryOut(changes: readonly Change[]): Promise<void> {
    const [first] = changes;
    if (first && changes.length === 1 && !first.with) {
      const rows = await this.rows(first.text, valuesOf(first));
      first.check?.(rows.length);
      return;
    }
    const { text, values } = joined(changes);
    const [counts] = await this.rows<Record<string, number>>(text, values);
    changes.forEach(({ check }, i) => {
      check?.(counts?.[`c${i}`] ?? 0);
    });
  }
}

const CHANGED = /\b(?:INSERT INTO|UPDATE|DELETE FROM) registry\.(\w+)/g;

function tablesOf({ text, with: other }: Change): string[] {
  return [...`${text} ${other?.text ?? ''}`.matchAll(CHANGED)].map(([, table = '']) => table);
}

/** Lists of statements that change different tables; those of one table are in their order. */
function inSteps(changes: readonly Change[]): Change[][] {
  const steps: Change[][] = [];
  const behind = new Map<string, number>();
  for (const change of changes) {
    const tables = tablesOf(change);
    const step = Math.max(0, ...tables.map((table) => behind.get(table) ?? 0));
    for (const table of tables) behind.set(table, step + 1);
    const others = steps[step];
    if (others) others.push(change);
    else steps.push([change]);
  }
  return steps;
}

/** One statement, which counts the rows that each of those returns that are checked. */
function joined(changes: readonly Change[]): { readonly text: string; readonly values: readonly unknown[] } {
  const values: unknown[] = [];
  const parts = changes.flatMap((change, i) => {
    const { text, with: other } = change;
    const before = values.length;
    values.push(...valuesOf(change));
    const numbered = (sql: string) => sql.replace(/\$(\d+)/g, (_, n: string) => `$${Number(n) + before}`);
    return [...(other ? [`${other.name} AS (${numbered(other.text)})`] : []), `w${i} AS (${numbered(text)})`];
  });
  const counts = changes.flatMap(({ check }, i) => (check ? [`(SELECT count(*) FROM w${i}) AS c${i}`] : []));
  return { text: `WITH ${parts.join(', ')} SELECT ${counts.join(', ') || '1'}`, values };
}

function valuesOf({ values }: Change): readonly unknown[] {
  return typeof values === 'function' ? values() : values;
}
