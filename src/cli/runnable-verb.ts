import type { FlagValues, Verb } from '../lib/command-line.js';

/** What a verb prints with. */
export interface Terminal {
  /** Prints a text and a line break on standard output. */
  readonly say: (text: string) => void;
  /** Prints a text and a line break on standard error: what is for people, and no result. */
  readonly note: (text: string) => void;
  /** Aborted when the user or the system ends the process. Asked for by verbs that have something to clean up. */
  readonly interrupted: () => AbortSignal;
  /** What the user types to run the program, for messages that say what to do next. */
  readonly program: string;
}

/**
 * Ends with the exit code, or with nothing while the process is to go on.
 * @throws Error whose message says to the user what to do
 */
export type RunVerb = (
  flags: FlagValues,
  argument: string | undefined,
  terminal: Terminal,
) => Promise<number | undefined>;

export interface RunnableVerb extends Verb {
  /** Loads the module of the verb: reading and compiling all of them takes five times as long as Node.js itself needs. */
  readonly load: () => Promise<{ readonly run: RunVerb }>;
}
