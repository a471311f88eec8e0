import { InvalidInput } from '../../src/lib/faults.js';

/** The fault that the task throws. @throws when it throws none, or another error */
export function catchInvalid(task: () => unknown): InvalidInput {
  try {
    task();
  } catch (error) {
    if (error instanceof InvalidInput) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}
