import { type DestinationStream, destination as fileDestination, type Logger, pino } from 'pino';

export type Log = Logger;

/** The methods of a log that some code calls: with fields for programs, and a message for people. */
export type LogTo<Level extends 'debug' | 'info' | 'warn' | 'error'> = Readonly<
  Record<Level, (fields: Readonly<Record<string, unknown>>, message: string) => void>
>;

interface LogOptions {
  /** `info` when absent. */
  readonly level?: string;
  /** Makes each line one for people: `lineForPeople()`. */
  readonly rewritten?: ((line: string) => string) | undefined;
  /** Standard output when absent. */
  readonly destination?: DestinationStream;
}

/** Fields that may hold a secret; their values are not written to the log. */
const SECRET_KEYS = [
  ...['authorization', 'Authorization', 'cookie', 'Cookie', 'set-cookie', 'dpop', 'DPoP'],
  ...['token', 'accessToken', 'access_token', 'operatorToken', 'secret', 'password', 'configuration'],
];

/** pino cannot redact a field at any depth: these are the depths that log records of this software have. */
const SECRET_PATHS = ['', '*.', '*.*.'].flatMap((prefix) =>
  SECRET_KEYS.map((key) => (key.includes('-') ? `${prefix.slice(0, -1)}["${key}"]` : prefix + key)),
);

/** One JSON object a line. Written synchronously, so that the last lines before an exit are not lost. */
export function createLog(options: LogOptions = {}): Log {
  const stdout = options.destination ?? fileDestination({ dest: 1, sync: true });
  const settings = {
    level: options.level ?? 'info',
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (level: string) => ({ level }) },
    redact: { paths: SECRET_PATHS, censor: '[redacted]' },
  };
  const { rewritten } = options;
  if (!rewritten) return pino(settings, stdout);
  // Not with the stream of pino-pretty, which does not write synchronously.
  return pino(settings, { write: (line) => stdout.write(rewritten(line)) });
}

/** Makes a line of the log readable for people. Loaded when it is wanted: most starts are those of services. */
export async function lineForPeople(): Promise<(line: string) => string> {
  const { default: pretty } = await import('pino-pretty');
  const { isColorSupported, prettyFactory } = pretty;
  return prettyFactory({ colorize: isColorSupported, ignore: 'pid,hostname' });
}
