import type { TestModule } from 'vitest/node';

/** How many tests of these files passed, failed and were skipped. */
export function countsIn(files: readonly TestModule[]): { passed: number; failed: number; skipped: number } {
  const states = files.map((file) => [...file.children.allTests()].map((test) => test.result().state));
  const count = (state: string) => states.flat().filter((one) => one === state).length;
  // A file that cannot be loaded has no tests that could fail: it counts as one.
  const broken = files.filter((file, i) => file.state() === 'failed' && !states[i]?.includes('failed'));
  return { passed: count('passed'), failed: count('failed') + broken.length, skipped: count('skipped') };
}

/** `12 passed, 0 failed`; a run that went wrong never says `0 failed`, whatever went wrong. */
export function summary({ passed, failed, skipped }: ReturnType<typeof countsIn>, ok: boolean): string {
  const shown = ok ? failed : Math.max(failed, 1);
  return `${passed} passed, ${shown} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
