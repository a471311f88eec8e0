import { inject } from 'vitest';
import { ask } from './on-demand.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the shared browser is asked for; scenario-setup.ts gives it. */
    readonly browserControl: string;
  }
}

/** Where to connect to the browser that test files share; starts it if it does not run yet. */
export const browserAddress = (): Promise<string> => ask(inject('browserControl'));
