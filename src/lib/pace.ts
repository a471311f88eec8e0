/** Longest stretch of work without a pause, in milliseconds. */
const SLICE_MS = 1;

/** To be awaited within long work: pauses when enough time has passed since the last pause. */
export type Breather = () => Promise<void> | undefined;

/**
 * Makes long work pause: `const breathe = pace(); for (…) { …; await breathe(); }`. `sliceMs` is the longest stretch of
 * work between two pauses, 1 ms when absent. A parameter like the clock: with `withoutPause`, every run is the same.
 */
export type Pace = (sliceMs?: number) => Breather;

/**
 * Pauses by the real clock. Between two pauses, `breathe` only reads the clock. All tasks share the time of one turn of the
 * event loop: of a hundred requests that arrive in the same turn, the first one works for a slice, and the others pause as
 * soon as they can. Then one of them goes on in each turn, in the order in which they paused.
 */
export const systemPace: Pace = (sliceMs = SLICE_MS) => {
  turns.begin();
  return () => (performance.now() - turns.begin() < sliceMs ? undefined : turns.next());
};

/** The turns of the event loop, as far as tasks that pause work in them. */
class Turns {
  readonly #waiting: (() => void)[] = [];
  #began: number | undefined;

  /** When work has begun in this turn: now, if no other task has asked, and none has been resumed. */
  begin(): number {
    if (this.#began === undefined) {
      this.#began = performance.now();
      setImmediate(this.#end);
    }
    return this.#began;
  }

  /** Resolves in a turn in which no other task is resumed. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  /** What a task does until it pauses again is done before the next immediate. */
  readonly #end = () => {
    this.#began = undefined;
    const resume = this.#waiting.shift();
    if (!resume) return;
    this.#began = performance.now();
    setImmediate(this.#end);
    resume();
  };
}

const turns = new Turns();

/** Never pauses. */
export const withoutPause: Pace = () => () => undefined;

/** Runs something to its end that yields wherever other work may come in between. */
export async function paced<T>(steps: Generator<void, T>, breathe: Breather): Promise<T> {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    await breathe();
  }
}
