import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RememberedStates, type StateBlock } from '../../src/catalog/remembered-states.js';
import { DIGEST_DIGITS } from '../../src/core/cursor.js';
import { REMEMBERED_STATES } from '../../src/core/feed-window.js';

const digestOf = (position: number) =>
  ((position * 2_654_435_761) % 2 ** 32).toString(16).padStart(8, '0').padEnd(32, '0');
const digitsOf = (position: number) => digestOf(position).slice(0, DIGEST_DIGITS);

/** The states at these positions one after the other, and the blocks that are stored of them. */
function remembering(positions: Iterable<number>) {
  const [states, stored] = [new RememberedStates(), new Map<number, StateBlock>()];
  for (const position of positions) {
    const [block, lines] = states.with({ position, digest: digestOf(position) });
    stored.set(block, lines);
    states.apply(new Map([[block, lines]]));
  }
  return { states, stored };
}

it('tells the digests of the states that there have been, and of no others, also when they were read again', () => {
  const steps = fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 350 });
  fc.assert(
    fc.property(steps, (all) => {
      let last = 0;
      const positions = all.map((step) => (last += step));
      const { states, stored } = remembering(positions);
      const again = new RememberedStates();
      again.apply(new Map([...stored].reverse()));
      const next = { position: last + 1, digest: digestOf(last + 1) };
      expect(again.with(next)).toEqual(states.with(next));
      for (const one of [states, again]) {
        for (let position = 0; position <= last + 1; position++)
          expect(one.digestAt(position)).toBe(positions.includes(position) ? digitsOf(position) : undefined);
        expect(one.floor).toBe(0);
      }
    }),
    { numRuns: 20 },
  );
});

it('forgets the oldest states, by blocks whose places others take, and says so', () => {
  const count = REMEMBERED_STATES + 250;
  const { states, stored } = remembering(Array.from({ length: count }, (_, i) => i + 1));
  const again = new RememberedStates();
  again.apply(stored);
  for (const one of [states, again]) {
    expect(one.floor).toBe(count - REMEMBERED_STATES - (count % 100 || 100) + 1);
    expect(one.digestAt(one.floor)).toBe(digitsOf(one.floor));
    expect(one.digestAt(one.floor - 1)).toBeUndefined();
    expect(one.digestAt(count)).toBe(digitsOf(count));
  }
  expect(stored.size).toBe(REMEMBERED_STATES / 100 + 1);
});
