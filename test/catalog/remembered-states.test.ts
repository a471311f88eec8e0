import { expect, it } from 'vitest';
import { RememberedStates, type StateBlock } from '../../src/catalog/remembered-states.js';
import { DIGEST_DIGITS } from '../../src/core/cursor.js';
import { REMEMBERED_STATES } from '../../src/core/feed-window.js';

const digestOf = (position: number) =>
  ((position * 2_654_435_761) % 2 ** 32).toString(16).padStart(8, '0').padEnd(32, '0');
const digitsOf = (position: number) => digestOf(position).slice(0, DIGEST_DIGITS);

it.each([0, 1, 99, 100, 250, REMEMBERED_STATES + 250])(
  'of %d states the latest are told, also when they were read again, and the oldest are forgotten by blocks',
  (count) => {
    const [states, stored] = [new RememberedStates(), new Map<number, StateBlock>()];
    for (let i = 1; i <= count; i++) {
      const [block, lines] = states.with({ position: 2 * i, digest: digestOf(2 * i) });
      stored.set(block, lines);
      states.apply(new Map([[block, lines]]));
    }
    const again = new RememberedStates();
    again.apply(new Map([...stored].reverse()));
    const next = { position: 2 * count + 1, digest: digestOf(1) };
    expect(again.with(next)).toEqual(states.with(next));
    const oldest = Math.max(count - REMEMBERED_STATES - (count % 100 || 100), 0) + 1;
    for (const one of [states, again]) {
      expect(one.floor).toBe(count > REMEMBERED_STATES ? 2 * oldest : 0);
      for (let i = oldest; i <= count; i += 49) expect(one.digestAt(2 * i)).toBe(digitsOf(2 * i));
      for (const other of [2 * oldest - 2, 2 * oldest + 1, 2 * count + 2])
        expect(one.digestAt(other)).toBeUndefined();
    }
    expect(stored.size).toBeLessThanOrEqual(REMEMBERED_STATES / 100 + 1);
  },
);
