import { randomBytes } from 'node:crypto';

/** Draws texts of which no two are the same, in no process. */
export function uniqueTexts(): () => string {
  return () => randomBytes(8).toString('hex');
}
