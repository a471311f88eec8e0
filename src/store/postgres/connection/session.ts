import type { PoolClient, QueryResultRow } from 'pg';

/** Runs statements, on one connection or inside of one transaction. */
export interface Session {
  /** `name`: the server prepares the statement once for each connection, and plans it no more after some runs. */
  rows<R extends QueryResultRow>(text: string, values?: readonly unknown[], name?: string): Promise<R[]>;
}

export function sessionOn(client: PoolClient): Session {
  return {
    async rows<R extends QueryResultRow>(text: string, values: readonly unknown[] = [], name?: string) {
      const query = { text, values: [...values], ...(name === undefined ? {} : { name }) };
      const { rows } = await client.query<R>(query);
      return rows;
    },
  };
}

/** The only row of a result. @throws Error when there is none */
export function only<R>(rows: readonly R[], what: string): R {
  const [row] = rows;
  if (row === undefined) throw new Error(`The database has no ${what}: was a table emptied by hand?`);
  return row;
}
