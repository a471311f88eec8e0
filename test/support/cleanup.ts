import { afterAll } from 'vitest';

type Task = () => Promise<unknown> | unknown;

const tasks: Task[] = [];

/** Runs the task when the tests of this file are over, passed or failed; the last one registered runs first. */
export function cleanup(task: Task): void {
  tasks.push(task);
}

// Each test file has its own copy of this module, so this is the end of that file.
afterAll(async () => {
  const errors: unknown[] = [];
  for (let task = tasks.pop(); task; task = tasks.pop()) {
    try {
      await task();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, 'cleaning up after the tests failed');
});
