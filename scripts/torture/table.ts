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

/** The table of docs/security.md: the worst of each scenario, where each attack counts with the best of its rounds. */
export function worstTable(outcomes: readonly Outcome[]): string {
  const lines = outcomes.flatMap(({ scenario, rows }) => {
    const attacks = rows.filter((row) => 'longest wait (ms)' in row);
    if (attacks.length === 0) return [];
    const wait = worst(attacks, (row) => Math.min(...numbersIn(row['longest wait (ms)'])));
    const memory = worst(attacks, (row) => Number(row['memory over idle (MB)']));
    const busy = worst(attacks, (row) => Number(row['node busy (ms)']));
    const idle = attacks.flatMap((row) => numbersIn(row['idle wait (ms)'])).map(Math.round);
    const waits = `${wait.figure} (${Math.min(...idle)} to ${Math.max(...idle)}): ${wait.attack}`;
    return [
      [scenario, attacks.length, waits, `${memory.figure} MB: ${memory.attack}`, `${busy.figure} ms`].map(
        String,
      ),
    ];
  });
  return table(
    [
      ...['scenario', 'attacks', 'longest wait (ms), and the idle one'],
      ...['most memory over idle', 'longest busy at a time'],
    ],
    lines,
  );
}

/** The attack of the greatest figure. */
function worst(attacks: readonly Row[], figure: (row: Row) => number) {
  const figures = attacks.map((row) => ({ attack: String(row.attack), figure: figure(row) }));
  return figures.reduce((one, other) => (other.figure > one.figure ? other : one));
}

function numbersIn(cell: string | number | undefined): number[] {
  return String(cell ?? '')
    .split(' ')
    .map(Number);
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
