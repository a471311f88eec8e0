import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where shared servers are asked for; shared-servers.ts gives it. */
    readonly sharedServers: string;
  }
}

/** Credentials for the pod that test files share, as JSON, or the URL of a new database; their server is started if it does not run yet. */
export async function sharedServer(what: 'pod' | 'database'): Promise<string> {
  const response = await fetch(`${inject('sharedServers')}/${what}`);
  const text = await response.text();
  if (!response.ok) throw new Error(`there is no ${what} to test with: ${text}`);
  return text;
}

export const newDatabase = () => sharedServer('database');
