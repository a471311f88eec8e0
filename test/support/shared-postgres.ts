import { inject } from 'vitest';
import { ask } from './on-demand.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the shared PostgreSQL server is asked for a database; shared-postgres-server.ts gives it. */
    readonly postgresControl: string;
  }
}

/** The URL of a new database on the server that test files share; starts the server if it does not run yet. */
export const newDatabase = (): Promise<string> => ask(inject('postgresControl'));
