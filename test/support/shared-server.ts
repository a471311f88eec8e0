import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where shared servers are asked for; shared-servers.ts gives it. */
    readonly sharedServers: string;
  }
}

/**
 * What test files share, made when the first of them asks for it: credentials for a pod, as JSON; the URL of a database of the
 * caller's own; or nothing but that the program has been built.
 */
export async function sharedServer(what: 'pod' | 'database' | 'program'): Promise<string> {
  const response = await fetch(`${inject('sharedServers')}/${what}`);
  const text = await response.text();
  if (!response.ok) throw new Error(`there is no ${what} to test with: ${text}`);
  return text;
}

export const newDatabase = () => sharedServer('database');
