import { beforeEach, expect, it } from 'vitest';
import { debounce } from '../../../src/sync/discovery/debounce.js';
import { VirtualClock } from '../../support/virtual-clock.js';

let clock: VirtualClock;
let followed: number;
let note: () => void;
beforeEach(() => {
  clock = new VirtualClock();
  followed = 0;
  note = gathering(300_000);
});

const gathering = (interval: number, signal = new AbortController().signal) =>
  debounce({ clock, interval, signal, follow: () => followed++ });

async function pass(ms: number): Promise<void> {
  clock.pass(ms);
  await new Promise((resolve) => setImmediate(resolve));
}

it('what changes within a second is followed together', async () => {
  for (let i = 0; i < 100; i++) note();
  await pass(999);
  expect(followed).toBe(0);
  await pass(1);
  expect(followed).toBe(1);
  await pass(180_000);
  expect(followed).toBe(1);
});

it('changes that do not end are followed five times, and then once in thirty seconds', async () => {
  for (let i = 0; i < 5; i++) {
    note();
    await pass(1_000);
  }
  expect(followed).toBe(5);
  note();
  await pass(24_000);
  expect(followed).toBe(5);
  await pass(2_000);
  expect(followed).toBe(6);
  note();
  await pass(30_000);
  expect(followed).toBe(7);
});

it('nothing is followed once the node stops', async () => {
  const stopping = new AbortController();
  note = gathering(300_000, stopping.signal);
  note();
  stopping.abort();
  await pass(180_000);
  expect([followed, clock.sleeping]).toEqual([0, 0]);
});
