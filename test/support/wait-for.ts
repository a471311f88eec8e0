import { setTimeout as later } from 'node:timers/promises';

interface Patience {
  /** 5 s when absent. */
  timeoutMs?: number;
  /** What is waited for, for the message when it does not come. */
  describe?: string | (() => string);
}

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
  let cause: unknown;
  do {
    try {
      const value = await condition();
      if (value) return value;
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    await later(10);
  } while (Date.now() < end);
  const what = typeof describe === 'string' ? describe : describe();
  throw new Error(`waited ${timeoutMs} ms in vain for ${what}`, { cause });
}
