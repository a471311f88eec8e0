import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { endOnSignals } from '../../src/cli/signals.js';
import type { Clock } from '../../src/lib/clock.js';

/** A process that notes its exit codes, with a clock whose time passes when the test says so. */
function stage(stop: () => Promise<void>) {
  const process = Object.assign(new EventEmitter(), { codes: [] as number[], exit: exited });
  const logged: string[] = [];
  let passGrace: () => void = () => undefined;
  let told: () => void = () => undefined;
  const exit = new Promise<void>((resolve) => {
    told = resolve;
  });
  function exited(code: number) {
    process.codes.push(code);
    told();
  }
  const clock: Clock = {
    now: () => 0,
    sleep: () =>
      new Promise((resolve) => {
        passGrace = resolve;
      }),
  };
  const note = (_: object, message: string) => logged.push(message);
  endOnSignals({ stop, process, clock, log: { info: note, fatal: note }, graceMs: 5000 });
  return { process, logged, exit, passGrace: () => passGrace() };
}

it.each(['SIGTERM', 'SIGINT'])('%s stops everything, then exits 0', async (signal) => {
  let stopped = false;
  const { process, exit } = stage(async () => {
    stopped = true;
  });
  process.emit(signal);
  await exit;
  expect(stopped).toBe(true);
  expect(process.codes).toEqual([0]);
});

it('exits 1 and says so when stopping takes too long', async () => {
  const { process, logged, exit, passGrace } = stage(() => new Promise(() => undefined));
  process.emit('SIGTERM');
  passGrace();
  await exit;
  expect(process.codes).toEqual([1]);
  expect(logged).toEqual(['stopping', 'stopping failed']);
});

it('exits 1 when stopping fails', async () => {
  const { process, exit } = stage(() => Promise.reject(new Error('disk is gone')));
  process.emit('SIGTERM');
  await exit;
  expect(process.codes).toEqual([1]);
});

it('exits at once at a second signal', () => {
  const { process } = stage(() => new Promise(() => undefined));
  process.emit('SIGINT');
  expect(process.codes).toEqual([]);
  process.emit('SIGTERM');
  expect(process.codes).toEqual([1]);
});

it.each(['uncaughtException', 'unhandledRejection'])('logs an %s and exits 1', (event) => {
  const { process, logged } = stage(async () => undefined);
  process.emit(event, new Error('a bug'));
  expect(process.codes).toEqual([1]);
  expect(logged).toEqual([event]);
});
