import { type Logger, pino } from 'pino';
import { build as prettyStream } from 'pino-pretty';

export type Log = Logger;

/** One JSON object a line on stdout, or coloured lines for people. Written at once: a crash loses none. */
export function createLog(options: { pretty?: boolean; level?: string } = {}): Log {
  const { pretty = false, level = 'info' } = options;
  const settings = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  return pretty ? pino(settings, prettyStream({ sync: true, colorize: true })) : pino(settings);
}
