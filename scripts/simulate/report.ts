/** What a run has shown, as text for people. */
import type { CostFigures } from './costs.js';
import { RULES } from './rules.js';
import type { Failure, Outcome, SimulationOptions } from './run.js';
import { HOUR, MINUTE } from './time.js';

const EVERY = 5000;
let shown = performance.now();

/** Says what is going on, every few seconds. */
export function showProgress(text: string): void {
  if (performance.now() - shown < EVERY) return;
  shown = performance.now();
  process.stderr.write(`${text}\n`);
}

export function outcomeTable(outcome: Outcome, { nodes, pods, seed }: SimulationOptions): string {
  const { joining, active, idle, convergence, spread } = outcome;
  const periods = [{ ...joining, hours: 1 }, active, idle];
  const line = (name: string, cells: readonly string[]) =>
    `${name.padEnd(34)}${cells.map((cell) => cell.padStart(14)).join('')}`;
  const row = (name: string, of: (figures: CostFigures) => number, among: number) =>
    line(
      name,
      periods.map((period) =>
        figure(among === 0 || period.hours === 0 ? 0 : of(period) / period.hours / among),
      ),
    );
  // What goes over the wires while things happen, but for what goes over them anyhow.
  const ofChange = (of: (figures: CostFigures) => number) =>
    figure(spread.changes === 0 ? 0 : (of(active) - (of(idle) / idle.hours) * active.hours) / spread.changes);
  const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;
  return [
    line('', ['joining', 'active hour', 'idle hour']),
    row('polls by a node', ({ polls }) => polls, nodes),
    row('requests by a node', ({ requests }) => requests, nodes),
    row('bytes by a node (kB)', ({ bytes }) => bytes / 1000, nodes),
    row('hints and comments to a node', ({ pieces }) => pieces, nodes),
    row('requests to a pod', ({ podRequests }) => podRequests, pods),
    row('bytes to and from a pod (kB)', ({ podBytes }) => podBytes / 1000, pods),
    '',
    `converged after ${(convergence / MINUTE).toFixed(1)} min`,
    `${spread.changes} changes of documents were everywhere after ${seconds(spread.median)} (median), ${seconds(spread.worst)} (worst); each cost ${ofChange(({ requests }) => requests)} requests, ${ofChange(({ bytes }) => bytes / 1000)} kB`,
    `seed ${seed}: ${outcome.events} events in ${(outcome.elapsed / HOUR).toFixed(2)} virtual hours, no rule broken; ${outcome.repairs} repairs; log of ${outcome.lines} lines, SHA-256 ${outcome.digest}`,
  ].join('\n');
}

function figure(value: number): string {
  return value >= 100 || Number.isInteger(value) ? Math.round(value).toLocaleString('en') : value.toFixed(1);
}

/** What went wrong, what led there, and how to see it again. */
export function failureText(
  { violation, begun, history }: Failure,
  { seed }: SimulationOptions,
  args: readonly string[],
): string {
  // Of options that are given twice, the last one counts.
  const again = [...args.filter((arg) => arg !== '--json'), '--seeds', 1, '--seed', seed];
  return [
    `RULE BROKEN: ${RULES[violation.rule]}`,
    `  seed ${seed}, after ${(violation.elapsed / MINUTE).toFixed(2)} virtual minutes: ${violation.message}`,
    'What led there (the shortest history that was found):',
    ...(history.length === 0 ? ['  nothing has happened'] : history.map((line) => `  ${line}`)),
    'To see it again:',
    `  npm run simulate -- ${again.join(' ')} --replay "${begun.join()}"`,
  ].join('\n');
}
