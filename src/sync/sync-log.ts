type LogMethod = (fields: Readonly<Record<string, unknown>>, message: string) => void;

/** Where the lines about polls go: the methods of pino that are used here. */
export interface SyncLog {
  readonly debug: LogMethod;
  readonly info: LogMethod;
  readonly warn: LogMethod;
}
