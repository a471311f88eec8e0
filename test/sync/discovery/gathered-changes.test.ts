import { beforeEach, expect, it } from 'vitest';
import { GatheredChanges } from '../../../src/sync/discovery/gathered-changes.js';
import { VirtualClock } from '../../support/virtual-clock.js';

let clock: VirtualClock;
let followed: number;
let changes: GatheredChanges;
beforeEach(() => {
  clock = new VirtualClock();
  followed = 0;
  changes = gathering(300_000);
});

const gathering = (interval: number): GatheredChanges =>
  new GatheredChanges({
    ...{ clock, interval },
    later: () => {
      if (changes.take()) followed += 1;
    },
  });

const change = () => {
  if (changes.isNow()) followed += 1;
};
async function pass(ms: number): Promise<void> {
  clock.pass(ms);
  await new Promise((resolve) => setImmediate(resolve));
}

it('changes are followed at once while they are few, and together while they are many', async () => {
  for (let i = 0; i < 5; i++) change();
  expect(followed).toBe(5);
  for (let i = 0; i < 100; i++) change();
  expect(followed).toBe(5);
  await pass(29_999);
  expect(followed).toBe(5);
  await pass(1);
  expect(followed).toBe(6);
  change();
  await pass(30_000);
  expect(followed).toBe(7);
  await pass(180_000);
  for (let i = 0; i < 6; i++) change();
  expect(followed).toBe(12);
});

it('what waits can be followed before its time, and is not followed twice', async () => {
  for (let i = 0; i < 6; i++) change();
  expect(changes.take()).toBe(true);
  expect(changes.take()).toBe(false);
  await pass(180_000);
  expect(followed).toBe(5);
});

it('nodes that poll more often wait less', async () => {
  changes = gathering(20_000);
  for (let i = 0; i < 6; i++) change();
  await pass(1_999);
  expect(followed).toBe(5);
  await pass(1);
  expect(followed).toBe(6);
});
