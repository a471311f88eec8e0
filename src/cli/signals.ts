import type { Clock } from '../lib/clock.js';

export interface Ending {
  /** Stops everything that has been started; may be called during the start. */
  readonly stop: () => Promise<void>;
  /** The parts of `process` that are needed here. */
  readonly process: {
    on(event: string, listener: (reason: unknown) => void): unknown;
    exit(code: number): void;
  };
  readonly clock: Clock;
  readonly log: Record<'info' | 'fatal', (details: object, message: string) => void>;
  /** How long `stop` may take, in ms. */
  readonly graceMs: number;
}

/**
 * Ends the process when it is told to: SIGTERM and SIGINT stop everything and exit 0; a stop that fails or
 * hangs exits 1, a second signal exits at once, an error that nobody caught exits 1.
 */
export function endOnSignals({ stop, process, clock, log, graceMs }: Ending): void {
  const fail = (reason: unknown, message: string) => {
    log.fatal({ err: reason }, message);
    process.exit(1);
  };
  const hanging = async () => {
    await clock.sleep(graceMs);
    throw new Error(`not everything stopped within ${graceMs} ms`);
  };
  let signalled = false;
  for (const signal of ['SIGTERM', 'SIGINT']) {
    process.on(signal, () => {
      if (signalled) return process.exit(1);
      signalled = true;
      log.info({ signal }, 'stopping');
      Promise.race([stop(), hanging()]).then(
        () => process.exit(0),
        (error) => fail(error, 'stopping failed'),
      );
    });
  }
  for (const event of ['uncaughtException', 'unhandledRejection'])
    process.on(event, (reason) => fail(reason, event));
}
