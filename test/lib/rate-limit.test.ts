import { expect, test } from 'vitest';
import { createTurnstile } from '../../src/lib/rate-limit.js';

function turnstile(bounds: { concurrent: number; perMinute: number }) {
  const clock = { time: 0, now: () => clock.time };
  return { clock, ...createTurnstile(clock, bounds) };
}

const enter = (gate: ReturnType<typeof turnstile>) => {
  const turn = gate.enter();
  if ('retryMs' in turn) throw new Error(`refused for ${turn.retryMs} ms`);
  return turn.leave;
};

test('only so many are inside at once', () => {
  const gate = turnstile({ concurrent: 1, perMinute: 10 });
  const leave = enter(gate);
  expect(gate.enter()).toEqual({ retryMs: 1000 });
  leave();
  enter(gate);
});

test('only so many enter in a minute, and who is refused learns when to come back', () => {
  const gate = turnstile({ concurrent: 5, perMinute: 2 });
  enter(gate)();
  gate.clock.time = 20_000;
  enter(gate)();
  expect(gate.enter()).toEqual({ retryMs: 40_000 });
  gate.clock.time = 60_000;
  enter(gate)();
  expect(gate.enter()).toEqual({ retryMs: 20_000 });
});
