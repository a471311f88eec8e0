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
  beginTurn();
  const inLaterTurn = () => new Promise<void>((resolve) => void waiting.push(resolve));
  return () => (performance.now() - beginTurn() < sliceMs ? undefined : inLaterTurn());
};

/** The tasks that pause: in each turn of the event loop, one of them is resumed. */
const waiting: (() => void)[] = [];
/** When work has begun in this turn; undefined while no task has asked, and none has been resumed. */
let began: number | undefined;

function beginTurn(): number {
  if (began === undefined) {
    began = performance.now();
    setImmediate(endTurn);
  }
  return began;
}

/** What a task does until it pauses again is done before the next immediate. */
function endTurn(): void {
  began = undefined;
  const resume = waiting.shift();
  if (!resume) return;
  beginTurn();
  resume();
}

/** Never pauses. */
export const withoutPause: Pace = () => () => undefined;

/** Runs something to its end that yields wherever other work may come in between. */
export async function paced<T>(steps: Generator<void, T>, breathe: Breather): Promise<T> {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    await breathe();
  }
}
