import type { Clock } from '../lib/clock.js';

/** The parts of `process` that are needed here. */
interface Endable {
  on(event: string, listener: (reason: unknown) => void): unknown;
  exit(code: number): void;
}

interface EndingParts {
  readonly clock: Pick<Clock, 'sleep'>;
  readonly log: Record<'info' | 'fatal', (details: object, message: string) => void>;
}

/** What a stop may take, in ms: process managers kill after 10 s. */
const GRACE_MS = 5000;

/**
 * Ends the process when it is told to: SIGTERM and SIGINT stop everything and exit 0; a stop that fails or
 * hangs exits 1, a second signal exits at once, an error that nobody caught exits 1.
 * @param stop stops everything that has been started; may be called during the start
 */
export function endOnSignals(process: Endable, stop: () => Promise<void>, { clock, log }: EndingParts): void {
  const fail = (reason: unknown, message: string) => {
    log.fatal({ err: reason }, message);
    process.exit(1);
  };
  const hanging = async () => {
    await clock.sleep(GRACE_MS);
    throw new Error(`not everything stopped within ${GRACE_MS} ms`);
  };
  let signalled = false;
  for (const signal of ['SIGTERM', 'SIGINT'])
    process.on(signal, () => {
      if (signalled) return process.exit(1);
      signalled = true;
      log.info({ signal }, 'stopping');
      const stopped = Promise.race([stop(), hanging()]);
      stopped.then(() => process.exit(0)).catch((error) => fail(error, 'stopping failed'));
    });
  for (const event of ['uncaughtException', 'unhandledRejection'])
    process.on(event, (reason) => fail(reason, event));
}
