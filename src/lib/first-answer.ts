import type { Clock } from './clock.js';

export interface FirstAnswerOptions<T> {
  readonly clock: Pick<Clock, 'sleep'>;
  /** Who says nothing for so long, in ms, is not waited for before the next one is asked. */
  readonly pauseMs: number;
  /** How long those are waited for that say nothing, once all are asked and nothing more is heard of any, in ms. */
  readonly silenceMs: number;
  /** Takes an answer that is not needed any more. */
  readonly discard: (late: T) => void;
}

type Said<T> = { readonly answer: T } | { readonly error: unknown };

/**
 * Asks one after the other, the next one as soon as one refuses or is slow, and resolves with the first answer, as browsers
 * connect to the addresses of a host (RFC 8305). @throws AggregateError of what each has said, in the order of `asked`
 */
export async function firstAnswer<T>(
  asked: readonly (() => Promise<T>)[],
  { clock, pauseMs, silenceMs, discard }: FirstAnswerOptions<T>,
): Promise<T> {
  const errors: unknown[] = asked.map(() => new Error('it says nothing'));
  const waiting = new Map<number, Promise<{ readonly i: number; readonly said: Said<T> }>>();
  try {
    for (let next = 0; next < asked.length || waiting.size > 0; ) {
      const ask = asked[next];
      if (ask) waiting.set(next, saidBy(ask).then(named(next)));
      next += 1;
      const pause = new AbortController();
      const silence = clock
        .sleep(next < asked.length ? pauseMs : silenceMs, pause.signal)
        .catch(() => undefined);
      const first = await Promise.race([...waiting.values(), silence]);
      pause.abort();
      if (!first) {
        if (next >= asked.length) break;
        continue;
      }
      waiting.delete(first.i);
      if ('answer' in first.said) return first.said.answer;
      errors[first.i] = first.said.error;
    }
  } finally {
    for (const late of waiting.values()) {
      void late.then(({ said }) => {
        if ('answer' in said) discard(said.answer);
      });
    }
  }
  throw new AggregateError(errors, 'none has answered');
}

function saidBy<T>(ask: () => Promise<T>): Promise<Said<T>> {
  return ask().then(
    (answer) => ({ answer }),
    (error: unknown) => ({ error }),
  );
}

function named<T>(i: number) {
  return (said: Said<T>) => ({ i, said });
}
