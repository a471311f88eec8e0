import { readFileSync } from 'node:fs';
import type { NodeProcess } from '../../test/support/node/node-process.js';
import { askAsOperator, metric } from '../../test/support/node/node-reader.js';

/** Has a node poll a source now. How long that takes until it is stored and served, in ms. */
export async function pollMs(node: NodeProcess, source: string): Promise<number> {
  const began = performance.now();
  const text = await askAsOperator(node, `/sync?source=${encodeURIComponent(source)}`, { method: 'POST' });
  const reports = JSON.parse(text) as { ok: boolean }[];
  if (!reports.every(({ ok }) => ok)) throw new Error(`the poll failed: ${text}`);
  return performance.now() - began;
}

/** The longest time that the event loop of a node has been busy since this was asked last, in ms. */
export async function longestStallMs(node: NodeProcess): Promise<number> {
  return 1000 * (await metric(node, 'nodejs_eventloop_lag_max_seconds'));
}

/** Resident, in MB. */
export async function memoryMb(node: NodeProcess): Promise<number> {
  return (await metric(node, 'process_resident_memory_bytes')) / 2 ** 20;
}

/** Processor time that all threads of a node have taken so far, in s; counted in steps of 10 ms. */
export function processorSeconds({ pid }: NodeProcess): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // Behind the name in brackets, which may hold spaces: user and system time are the 14th and 15th of all fields.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
