import type { SimulationOptions } from '../options.js';
import type { Outcome } from '../simulation.js';
import type { CostFigures } from './costs.js';

const HOUR = 3_600_000;

/** What a run has shown, as a table for people. */
export function outcomeTable(outcome: Outcome, { nodes, pods, seed }: SimulationOptions): string {
  const { joining, active, idle, activeHours, idleHours, convergence, spread } = outcome;
  const row = (name: string, cells: readonly number[]) =>
    `${name.padEnd(34)}${cells.map((cell) => figure(cell).padStart(14)).join('')}`;
  const columns = ['joining', 'active hour', 'idle hour'];
  const periods = [
    { figures: joining, hours: 1 },
    { figures: active, hours: activeHours },
    { figures: idle, hours: idleHours },
  ];
  const each = (of: (figures: CostFigures) => number) =>
    periods.map(({ figures, hours }) => (hours === 0 ? 0 : of(figures) / hours));
  const perPod = (count: number) => (pods === 0 ? 0 : count / pods);
  return [
    `${''.padEnd(34)}${columns.map((column) => column.padStart(14)).join('')}`,
    row(
      'polls by a node',
      each(({ polls }) => polls / nodes),
    ),
    row(
      'requests by a node',
      each(({ requests }) => requests / nodes),
    ),
    row(
      'bytes by a node (kB)',
      each(({ bytes }) => bytes / nodes / 1000),
    ),
    row(
      'hints and comments to a node',
      each(({ pieces }) => pieces / nodes),
    ),
    row(
      'requests to a pod',
      each(({ podRequests }) => perPod(podRequests)),
    ),
    row(
      'bytes to and from a pod (kB)',
      each(({ podBytes }) => perPod(podBytes) / 1000),
    ),
    '',
    `converged after ${(convergence / 60_000).toFixed(1)} min; ${spread.changes} changes of documents were everywhere after ${seconds(spread.median)} s (median), ${seconds(spread.p99)} s (p99), ${seconds(spread.worst)} s (worst)`,
    `seed ${seed}: ${outcome.events} events in ${(outcome.elapsed / HOUR).toFixed(2)} virtual hours, no rule broken; ${outcome.repairs} repairs; log of ${outcome.lines} lines, SHA-256 ${outcome.digest}`,
  ].join('\n');
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(2);
}

function figure(value: number): string {
  return value >= 100 || Number.isInteger(value) ? Math.round(value).toLocaleString('en') : value.toFixed(1);
}
