import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withoutPause } from '../../src/lib/pace.js';
import { sortedBy } from '../../src/lib/sort.js';

describe('sortedBy', () => {
  it('sorts as Array.sort does, stable, and leaves the list alone', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ maxLength: 2 }), { maxLength: 50 }),
        fc.integer({ min: 1, max: 400 }),
        async (texts, copies) => {
          const items = Array.from({ length: copies }, () => texts)
            .flat()
            .map((text, place) => ({ text, place }));
          const before = [...items];
          const expected = [...items].sort((one, other) =>
            one.text < other.text ? -1 : one.text > other.text ? 1 : 0,
          );
          expect(await sortedBy(items, ({ text }) => text, withoutPause())).toEqual(expected);
          expect(items).toEqual(before);
        },
      ),
      { numRuns: 30 },
    );
  });
});
