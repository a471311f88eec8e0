import { createTask } from 'node-cron';

/** When polls happen: the operator's schedule, and the beat at which the scheduler looks for what is due. */
export interface Timetable {
  /** Milliseconds between two regular polls; the shortest gap where the schedule is irregular. */
  readonly interval: number;
  /** The next time that the schedule names, ms since the epoch; always in the future. */
  next(): number;
  /** Calls `beat` about once a second, until the function that it returns is called. */
  start(beat: () => void): () => void;
}

/** How many coming runs are looked at to find the shortest gap: enough for a week of working hours. */
const RUNS_COMPARED = 60;

/**
 * The timetable of a cron expression of five or six fields (seconds first), in the local time zone. The
 * expression says when regular polls happen; the beat is finer, because retries and spread first polls
 * fall between them. @throws Error when the expression is none
 */
export function cronTimetable(expression: string): Timetable {
  const schedule = createTask(expression, () => undefined);
  const runs = schedule.getNextRuns(RUNS_COMPARED).map((run) => run.getTime());
  const gaps = runs.slice(1).map((run, i) => run - (runs[i] ?? run));
  return {
    interval: Math.min(...gaps),
    next: () => schedule.getNextRuns(1)[0]?.getTime() ?? Number.POSITIVE_INFINITY,
    start(beat) {
      const task = createTask('* * * * * *', beat, { suppressMissedWarning: true });
      void task.start();
      return () => void task.destroy();
    },
  };
}
