import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Order } from '../../src/catalog/order.js';
import { systemPace } from '../../src/lib/pace.js';

interface Item {
  readonly position: number;
  readonly change: number;
}

/** How many items come, and which part of those before go, or stay where they are as others. */
const change = fc.record({
  coming: fc.nat(2500),
  from: fc.double({ min: 0, max: 1, noNaN: true }),
  part: fc.double({ min: 0, max: 1, noNaN: true }),
  each: fc.integer({ min: 1, max: 5 }),
  isKept: fc.boolean(),
});

it('is what a list is that is sorted anew after each change, and stays what it was', async () => {
  const breathe = systemPace();
  await fc.assert(
    fc.asyncProperty(fc.nat(3000), fc.array(change, { maxLength: 8 }), async (first, changes) => {
      let last = first;
      let model: readonly Item[] = Array.from({ length: first }, (_, i) => ({ position: i + 1, change: 0 }));
      let order = await Order.of(model.toReversed(), breathe);
      for (const [i, { coming, from, part, each, isKept }] of changes.entries()) {
        const before = { order, model };
        const edits = new Map<number, Item | undefined>();
        for (let n = 0; n < coming; n++) edits.set(++last, { position: last, change: i + 1 });
        const start = Math.floor(from * model.length);
        for (let at = start; at < start + part * model.length; at += each) {
          const { position } = model[at] ?? {};
          if (position) edits.set(position, isKept ? { position, change: i + 1 } : undefined);
        }
        const stay = model.filter(({ position }) => !edits.has(position));
        const come = [...edits.values()].filter((item) => item !== undefined);
        model = [...stay, ...come].sort((one, other) => one.position - other.position);
        order = await order.changed(edits, breathe);
        expect([...order]).toEqual(model);
        expect(order.size).toBe(model.length);
        const behind = Math.floor(from * last);
        expect([...order.behind(behind)]).toEqual(model.filter(({ position }) => position > behind));
        expect([...before.order]).toEqual(before.model);
      }
    }),
    { numRuns: 30 },
  );
});
