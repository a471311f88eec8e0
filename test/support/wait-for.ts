import { setTimeout as later } from 'node:timers/promises';

interface Patience {
  /** 5 s when absent. */
  timeoutMs?: number;
  /** What is waited for, for the message when it does not come. */
  describe?: string | (() => string);
}

/** Between two looks, in ms: more and more, so that a long wait takes little of the processor that it waits for. */
const PAUSE = { first: 10, growth: 1.2, longest: 50 };

/**
 * Resolves with the first value of the condition that is truthy.
 *
 * @throws Error when it does not come in time, with the last error of the condition as its cause
 */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  { timeoutMs = 5_000, describe = 'a condition' }: Patience = {},
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
