/** What a command prints with. */
export interface Terminal {
  /** Prints a text and a line break on standard output. */
  readonly say: (text: string) => void;
  /** Prints a text and a line break on standard error: what is for people, and no result. */
  readonly note: (text: string) => void;
  /** Aborted when the user or the system ends the process. Asked for by commands that have something to clean up. */
  readonly interrupted: () => AbortSignal;
}
