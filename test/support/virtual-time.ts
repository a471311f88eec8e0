import type { Clock } from '../../src/lib/clock.js';

/** Without an action once it was taken back. */
interface Event {
  readonly time: number;
  action?: () => void;
}

/** Time that stands still while code runs, and what is to happen in it. */
export class VirtualTime {
  /** The next one is the last. */
  readonly #queue: Event[] = [];

  /** @param now ms since the Unix epoch */
  constructor(public now: number) {}

  /** How many events are to come. */
  get pending(): number {
    return this.#queue.filter(({ action }) => action).length;
  }

  /** Of events at the same time, the one that was scheduled first comes first. The function that is returned takes it back. */
  after(ms: number, action: () => void): () => void {
    const event: Event = { time: this.now + Math.max(0, Math.ceil(ms)), action };
    let [place, end] = [0, this.#queue.length];
    while (place < end) {
      const middle = (place + end) >> 1;
      if ((this.#queue[middle] as Event).time > event.time) place = middle + 1;
      else end = middle;
    }
    this.#queue.splice(place, 0, event);
    return () => {
      delete event.action;
    };
  }

  /** Jumps to the next event, unless that is later than `until`, and has it happen. False when there is none. */
  step(until = Number.POSITIVE_INFINITY): boolean {
    const next = this.#queue.at(-1);
    if (!next || next.time > until) return false;
    this.#queue.pop();
    if (!next.action) return true;
    this.now = next.time;
    next.action();
    return true;
  }

  /** @param wake given what has the sleeper go on, when the time is over */
  sleep(ms: number, signal?: AbortSignal, wake = (goOn: () => void) => goOn()): Promise<void> {
    return new Promise((resolve, reject) => {
      const goOn = () => {
        stay?.();
        resolve();
      };
      const takeBack = this.after(ms, () => wake(goOn));
      const stop = () => {
        takeBack();
        reject(signal?.reason);
      };
      const stay = signal && onAbort(signal, stop);
    });
  }
}

/** What is to be done when a signal is aborted. A signal looks through all its listeners for each new one: this is its only one. */
const onAborts = new WeakMap<AbortSignal, Set<() => void>>();

/** Calls `action` when the signal is aborted, at once where it is. The function that is returned takes that back. */
export function onAbort(signal: AbortSignal, action: () => void): () => void {
  if (signal.aborted) action();
  const actions = onAborts.get(signal) ?? new Set();
  const all = () => {
    for (const act of [...actions]) act();
  };
  if (!onAborts.has(signal)) signal.addEventListener('abort', all);
  onAborts.set(signal, actions.add(action));
  return () => actions.delete(action);
}

/** A clock of which the test says when time passes. */
export class VirtualClock implements Clock {
  readonly #time = new VirtualTime(1_800_000_000_000);

  now = () => this.#time.now;
  sleep = (ms: number, signal?: AbortSignal) => this.#time.sleep(ms, signal);

  /** How many sleep at present. */
  get sleeping(): number {
    return this.#time.pending;
  }

  /** Moves the time, and wakes those whose sleep is over. */
  pass(ms: number): void {
    const until = this.now() + ms;
    while (this.#time.step(until));
    this.#time.now = until;
  }
}
