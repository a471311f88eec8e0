import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the shared PostgreSQL server is asked for a database; shared-postgres-server.ts gives it. */
    readonly postgresControl: string;
  }
}

/** The URL of a new database on the server that test files share; starts the server if it does not run yet. */
export async function newDatabase(): Promise<string> {
  const response = await fetch(inject('postgresControl'), { method: 'POST' });
  const text = await response.text();
  if (!response.ok) throw new Error(`there is no PostgreSQL to test with: ${text}`);
  return text;
}
