import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { endOnSignals } from '../../src/cli/signals.js';
import { waitFor } from '../support/wait-for.js';

const hanging = () => new Promise<void>(() => undefined);

/** A process that notes its exit codes, and what is logged of it. The time that a stop may take is over at once for one that hangs. */
function stage(stop: () => Promise<void>) {
  const codes: number[] = [];
  const logged: string[] = [];
  const process = Object.assign(new EventEmitter(), { exit: (code: number) => void codes.push(code) });
  const note = (_: object, message: string) => logged.push(message);
  const clock = { sleep: async () => (stop === hanging ? undefined : hanging()) };
  endOnSignals(process, stop, { clock, log: { info: note, fatal: note } });
  return { process, codes, logged, exit: () => waitFor(() => codes.length > 0) };
}

it.each<[stop: string, () => Promise<void>, code: number, said: string[]]>([
  ['succeeds', async () => undefined, 0, ['stopping']],
  ['fails', () => Promise.reject(new Error('disk is gone')), 1, ['stopping', 'stopping failed']],
  ['takes too long', hanging, 1, ['stopping', 'stopping failed']],
])('a signal stops everything, which %s', async (_, stop, code, said) => {
  const { process, codes, logged, exit } = stage(stop);
  process.emit('SIGTERM');
  await exit();
  expect([codes, logged]).toEqual([[code], said]);
});

it('exits at once at a second signal', () => {
  const { process, codes } = stage(hanging);
  process.emit('SIGINT');
  expect(codes).toEqual([]);
  process.emit('SIGTERM');
  expect(codes).toEqual([1]);
});

it.each(['uncaughtException', 'unhandledRejection'])('logs an %s and exits 1', (event) => {
  const { process, codes, logged } = stage(async () => undefined);
  process.emit(event, new Error('a bug'));
  expect([codes, logged]).toEqual([[1], [event]]);
});
