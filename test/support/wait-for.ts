import { setTimeout as pause } from 'node:timers/promises';

/**
 * Asks until the answer is truthy, and gives it back. An error while asking counts as "not yet"; the last one
 * is the cause when time is up.
 * @throws Error that says what was waited for.
 */
export async function waitFor<T>(what: string, ask: () => Promise<T> | T, timeoutMs = 20_000): Promise<T> {
  const end = performance.now() + timeoutMs;
  let cause: unknown;
  while (performance.now() < end) {
    try {
      const answer = await ask();
      if (answer) return answer;
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    await pause(25);
  }
  throw new Error(`waited ${timeoutMs} ms in vain for ${what}`, { cause });
}
