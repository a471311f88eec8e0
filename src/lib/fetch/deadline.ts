import { setMaxListeners } from 'node:events';
import type { Clock } from '../clock.js';
import { FetchFailure } from './fetch-failure.js';

/** Without a reason of its own, each abort would make an error with a stack. */
const RELEASED = new FetchFailure('aborted', 'the exchange has ended');

/** One signal for all that may end an exchange early: its time is over, or its caller gave up. Always `release` it. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal | undefined;

  constructor(
    what: string,
    { timeoutMs, clock }: { readonly timeoutMs: number; readonly clock: Clock },
    caller?: AbortSignal,
  ) {
    this.#caller = caller;
    const late = () =>
      this.#controller.abort(new FetchFailure('timeout', `${what} took longer than ${timeoutMs / 1000} s`));
    // `sleep` rejects when the exchange has ended, which is no error.
    clock.sleep(timeoutMs, this.signal).then(late, () => undefined);
    if (!caller) return;
    // One signal stops all the requests of a poll: many listeners on it are no leak to warn of.
    setMaxListeners(0, caller);
    caller.addEventListener('abort', this.#giveUp);
    if (caller.aborted) this.#giveUp();
  }

  /** Aborted when the exchange has to end, and also when it has ended: nobody waits for anything of it any more. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Why the exchange had to end early; absent as long as it did not. */
  get failure(): FetchFailure | undefined {
    const { reason } = this.signal;
    return reason === RELEASED ? undefined : reason;
  }

  /** The promise, unless the exchange ends first; what comes of it then is nobody's concern. */
  race<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const stop = () => reject(this.signal.reason);
      this.signal.addEventListener('abort', stop);
      if (this.signal.aborted) stop();
      promise.then(resolve, reject).finally(() => this.signal.removeEventListener('abort', stop));
    });
  }

  release(): void {
    this.#controller.abort(RELEASED);
    this.#caller?.removeEventListener('abort', this.#giveUp);
  }

  readonly #giveUp = () => {
    const why = this.#caller?.reason;
    this.#controller.abort(new FetchFailure('aborted', 'the request was given up', why));
  };
}
