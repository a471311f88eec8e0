import type { PoolClient, QueryResult, QueryResultRow } from 'pg';
import { type Session, sessionOn } from './session.js';

const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED';

export interface ChangeOptions {
  /** Another statement, of the same parameters, whose rows it reads under this name. */
  readonly with?: { readonly name: string; readonly text: string };
  /** Told how many rows it has returned; what it throws ends the transaction. */
  readonly check?: (rows: number) => void;
}

interface Change extends ChangeOptions {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Statements that belong together: all of them are carried out or none. */
export interface Transaction extends Session {
  /** Has a statement that changes rows carried out with the next `flush`, or at the end of the transaction. */
  later(text: string, values: readonly unknown[], options?: ChangeOptions): void;
  /** Carries out what was to be done later: needed before that is read again. */
  flush(): Promise<void>;
}

/**
 * While a transaction holds the lock of the head, all other nodes wait, and each way to the server and back takes as long as many
 * a statement. So statements that change different tables are sent as one. Those that change the same table are sent one after
 * the other: only some engines of this protocol would take them together, and none says in which order.
 */
export class PoolTransaction implements Transaction {
  readonly #client: PoolClient;
  #hasBegun = false;
  #waiting: Change[] = [];

  constructor(client: PoolClient) {
    this.#client = client;
  }

  /** A first statement without parameters is sent together with the beginning of the transaction. */
  async rows<R extends QueryResultRow>(text: string, values: readonly unknown[] = [], name?: string) {
    if (this.#hasBegun) return sessionOn(this.#client).rows<R>(text, values, name);
    this.#hasBegun = true;
    if (values.length === 0) {
      const results: unknown = await this.#client.query(`${BEGIN}; ${text}`);
      return (results as readonly QueryResult<R>[])[1]?.rows ?? [];
    }
    await this.#client.query(BEGIN);
    return sessionOn(this.#client).rows<R>(text, values, name);
  }

  later(text: string, values: readonly unknown[], options?: ChangeOptions): void {
    this.#waiting.push({ text, values, ...options });
  }

  async flush(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const changes of inSteps(waiting)) await this.#carryOut(changes);
  }

  async #carryOut(changes: readonly Change[]): Promise<void> {
    const [first] = changes;
    if (first && changes.length === 1 && !first.with) {
      const rows = await this.rows(first.text, first.values);
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
  const parts = changes.flatMap(({ text, values: own, with: other }, i) => {
    const before = values.length;
    values.push(...own);
    const numbered = (sql: string) => sql.replace(/\$(\d+)/g, (_, n: string) => `$${Number(n) + before}`);
    return [...(other ? [`${other.name} AS (${numbered(other.text)})`] : []), `w${i} AS (${numbered(text)})`];
  });
  const counts = changes.flatMap(({ check }, i) => (check ? [`(SELECT count(*) FROM w${i}) AS c${i}`] : []));
  return { text: `WITH ${parts.join(', ')} SELECT ${counts.join(', ') || '1'}`, values };
}
