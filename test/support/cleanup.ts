import { onTestFinished, TestRunner } from 'vitest';

type Task = () => Promise<unknown> | unknown;

const tasks: Task[] = [];

/**
 * Runs the task when the test that asks for it is over, passed or failed; asked for in `beforeAll`, when all tests
 * of the file are over. The last one registered runs first.
 */
export function cleanup(task: Task): void {
  if (TestRunner.getCurrentTest()) onTestFinished(async () => void (await task()));
  else tasks.push(task);
}

/** Does what is to be done at the end of a test file; `around-each-file.ts` calls it there. */
export async function runCleanup(): Promise<void> {
  const errors: unknown[] = [];
  for (let task = tasks.pop(); task; task = tasks.pop()) {
    try {
      await task();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, 'cleaning up after the tests failed');
}
