import type { PoolClient, QueryResultRow } from 'pg';

/** Runs statements, on one connection or inside of one transaction. */
export interface Session {
  /** `name`: the server prepares the statement once for each connection, and plans it no more after some runs. */
  rows<R extends QueryResultRow>(text: string, values?: readonly unknown[], name?: string): Promise<R[]>;
}

/** `timeoutMs`: a statement fails when nothing is heard of the server for so long. */
export function sessionOn(client: PoolClient, { timeoutMs }: { readonly timeoutMs?: number } = {}): Session {
  const timeout = timeoutMs === undefined ? {} : { query_timeout: timeoutMs };
  return {
    async rows<R extends QueryResultRow>(text: string, values: readonly unknown[] = [], name?: string) {
      const query = { text, values: [...values], name, ...timeout };
      const result = await client.query<R>(query);
      const { rows } = result;
      // The timers of the library's queries keep one result after the other until the next major garbage collection, which a
      // long listing would put off until it has taken 80 MB: without its rows, a result is small.
      result.rows = [];
      return rows;
    },
  };
}

/** The same for statements that change nothing; any other one is a fault of this software. */
export function readingOn(client: PoolClient, options?: { readonly timeoutMs?: number }): Session {
  const session = sessionOn(client, options);
  return {
    async rows(text, values, name) {
      if (!READING.test(text)) throw new Error(`A statement that is to change nothing reads: ${text}`);
      return session.rows(text, values, name);
    },
  };
}

const READING = /^\s*(SELECT|WITH|EXPLAIN)\b(?!.*\bFOR UPDATE\b)/is;

/** The only row of a result. @throws Error when there is none */
export function only<R>(rows: readonly R[], what: string): R {
  const [row] = rows;
  if (row === undefined) throw new Error(`The database has no ${what}: was a table emptied by hand?`);
  return row;
}
