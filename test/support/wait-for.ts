import { setTimeout as later } from 'node:timers/promises';

/**
 * How long what must happen may take in a test, in ms, whoever waits for it. A wait ends when it has happened, so that this
 * costs time only where a test fails; what takes 100 ms on a machine of its own has taken 10 s on one that others use, too.
 * With mutants it is shorter: many of them are noticed by a wait in vain, and Stryker's own patience ends by starting a process anew.
 */
export const LONGEST_WAIT = process.env.MUTANTS === undefined ? 60_000 : 10_000;

interface Patience {
  /** `LONGEST_WAIT` when absent. */
  timeoutMs?: number;
  /** What is waited for, for the message when it does not come. */
  describe?: string | (() => string);
}

/** Between two looks, in ms: more and more, so that a long wait takes little of the processor that it waits for. */
const PAUSE = { first: 10, growth: 1.2, longest: 100 };

/**
 * Resolves with the first value of the condition that is truthy.
 *
 * @throws Error when it does not come in time, with the last error of the condition as its cause
 */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  { timeoutMs = LONGEST_WAIT, describe = 'a condition' }: Patience = {},
): Promise<T> {
  const end = Date.now() + timeoutMs;
  let pause = PAUSE.first;
  let cause: unknown;
  do {
    try {
      const value = await condition();
      if (value) return value;
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    await later(pause);
    pause = Math.min(PAUSE.longest, pause * PAUSE.growth);
  } while (Date.now() < end);
  const what = typeof describe === 'string' ? describe : describe();
  throw new Error(`waited ${timeoutMs} ms in vain for ${what}`, { cause });
}

/** Waits until an assertion holds, and gives what it returns. @throws Error when it does not in time, with what it says as its cause */
export async function expectSoon<T>(assertion: () => T | Promise<T>): Promise<T> {
  const attempt = async () => ({ value: await assertion() });
  return (await waitFor(attempt, { describe: 'an assertion to hold' })).value;
}
