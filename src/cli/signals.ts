import type { Clock } from '../lib/clock.js';

/** The parts of `process` that are needed here. */
export interface EndingProcess {
  on(event: string, listener: (reason: unknown) => void): unknown;
  exit(code: number): void;
}

export interface Ending {
  /** Stops everything that has been started; may be called during the start. */
  readonly stop: () => Promise<void>;
  readonly process: EndingProcess;
  readonly clock: Clock;
  readonly log: Record<'info' | 'fatal', (details: object, message: string) => void>;
  /** How long `stop` may take, in ms. */
  readonly graceMs: number;
}

/**
 * Ends the process when it is told to: SIGTERM and SIGINT stop everything and exit 0; a stop that fails or
 * hangs exits 1, a second signal exits at once, an error that nobody caught exits 1.
 */
export function endOnSignals(ending: Ending): void {
  const { process, log } = ending;
  let signalled = false;
  for (const signal of ['SIGTERM', 'SIGINT']) {
    process.on(signal, () => {
      if (signalled) return process.exit(1);
      signalled = true;
      log.info({ signal }, 'stopping');
      void end(ending);
    });
  }
  for (const event of ['uncaughtException', 'unhandledRejection']) {
    process.on(event, (reason) => {
      log.fatal({ err: reason }, event);
      process.exit(1);
    });
  }
}

async function end({ stop, process, clock, log, graceMs }: Ending): Promise<void> {
  const hanging = clock.sleep(graceMs).then(() => {
    throw new Error(`not everything stopped within ${graceMs} ms`);
  });
  try {
    await Promise.race([stop(), hanging]);
    process.exit(0);
  } catch (error) {
    log.fatal({ err: error }, 'stopping failed');
    process.exit(1);
  }
}
