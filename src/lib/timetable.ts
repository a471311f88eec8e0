import { createTask } from 'node-cron';
import type { Clock } from './clock.js';

/** Between two ticks, in ms. */
const TICK = 1_000;

/** When polls happen: the operator's schedule, and the ticks at which the scheduler looks for what is due. */
export interface Timetable {
  /** Milliseconds between two regular polls; the shortest gap where the schedule is irregular. */
  readonly interval: number;
  /** The next time that the schedule names, ms since the epoch; always in the future. */
  next(): number;
  /** Calls `tick` about once a second, until the function that it returns is called. */
  start(tick: () => void): () => void;
}

/** How many coming runs are looked at to find the shortest gap: enough for a week of working hours. */
const RUNS_COMPARED = 60;

/**
 * The timetable of a cron expression of five or six fields (seconds first), in the local time zone. The
 * expression says when regular polls happen; ticks are finer, because retries and spread first polls
 * fall between them.
 * The library only reads the expression: its own timers walk through every second that a clock has jumped
 * over, in one piece that takes minutes for a month.
 * @param clock that of the system, which the library asks as well
 * @throws Error for what is not a cron expression
 */
export function cronTimetable(expression: string, clock: Clock): Timetable {
  const schedule = createTask(expression, () => undefined);
  const runs = schedule.getNextRuns(RUNS_COMPARED).map((run) => run.getTime());
  const gaps = runs.slice(1).map((run, i) => run - (runs[i] ?? run));
  return {
    interval: Math.min(...gaps),
    next: () => schedule.getNextRuns(1)[0]?.getTime() ?? Number.POSITIVE_INFINITY,
    start(tick) {
      const stopped = new AbortController();
      const wait = (): Promise<void> => clock.sleep(TICK, stopped.signal).then(next, () => undefined);
      const next = () => {
        tick();
        void wait();
      };
      void wait();
      return () => stopped.abort(new Error('The timetable has ended'));
    },
  };
}
