import { existsSync, readFileSync } from 'node:fs';

/** The part of vitest's JSON report that is counted. */
interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly { status: string; assertionResults: readonly { status: string }[] }[];
}

/** What a JSON report of vitest says; nothing at all when there is none. */
export function countsIn(file: string): { passed: number; failed: number; skipped: number } {
  if (!existsSync(file)) return { passed: 0, failed: 0, skipped: 0 };
  const report: Report = JSON.parse(readFileSync(file, 'utf8'));
  // A file that cannot be loaded has no tests that could fail: it counts as one.
  const broken = report.testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  );
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + broken.length,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/** `12 passed, 0 failed`; a run that went wrong never says `0 failed`, whatever went wrong. */
export function summary({ passed, failed, skipped }: ReturnType<typeof countsIn>, ok: boolean): string {
  const shown = ok ? failed : Math.max(failed, 1);
  return `${passed} passed, ${shown} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
