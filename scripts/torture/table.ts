import type { Outcome, Row } from './run-scenario.js';

/** A Markdown table of what the attacks of all scenarios did, one line each; empty when there was none. */
export function attackTable(outcomes: readonly Outcome[]): string {
  const rows = outcomes.flatMap(({ scenario, rows }) => rows.map((row): Row => ({ scenario, ...row })));
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return table(
    columns,
    rows.map((row) => columns.map((column) => String(row[column] ?? ''))),
  );
}

/** A Markdown table of the scenarios: how many tests passed and failed, and how long it took. */
export function scenarioTable(outcomes: readonly Outcome[]): string {
  return table(
    ['scenario', 'result', 'tests passed', 'failed', 'seconds'],
    outcomes.map(({ scenario, ok, passed, failed, seconds }) =>
      [scenario, ok ? 'passed' : 'FAILED', passed, failed, seconds.toFixed(1)].map(String),
    ),
  );
}

/** `5 scenarios passed, 0 failed (seed 17, full rounds, 312 s)`. */
export function tortureSummary(
  outcomes: readonly Outcome[],
  { seed, rounds }: { seed: number; rounds: number | undefined },
): string {
  const passed = outcomes.filter(({ ok }) => ok).length;
  const seconds = outcomes.reduce((sum, outcome) => sum + outcome.seconds, 0);
  const size = rounds === undefined ? 'full rounds' : `${rounds} rounds`;
  return `${passed} scenarios passed, ${outcomes.length - passed} failed (seed ${seed}, ${size}, ${Math.round(seconds)} s)`;
}

function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const widths = columns.map((column, i) =>
    Math.max(column.length, ...rows.map((row) => row[i]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`;
  return [line(columns), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line), ''].join('\n');
}
