/** What a command prints with. */
export interface Terminal {
  /** Prints a text and a line break on standard output. */
  readonly say: (text: string) => void;
  /** Prints a text and a line break on standard error: what is for people, and no result. */
  readonly note: (text: string) => void;
}

/** The option of all commands that need a configuration. */
export interface ConfigOptions {
  /** Its file. */
  readonly config: string;
}

/** What both commands that move data can be told. */
export interface TransferOptions extends ConfigOptions {
  readonly withoutConnections?: true;
}
