import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareText } from '../../src/lib/compare-text.js';
import { withoutPause } from '../../src/lib/pace.js';
import { sortedBy } from '../../src/lib/sort.js';

it('sortedBy sorts as Array.sort does, stable, and leaves the list alone', async () => {
  const some = fc.array(fc.string({ maxLength: 2 }), { maxLength: 50 });
  await fc.assert(
    fc.asyncProperty(some, fc.integer({ min: 1, max: 400 }), async (texts, copies) => {
      const all = Array.from({ length: copies }, () => texts).flat();
      const items = all.map((text, place) => ({ text, place }));
      const before = [...items];
      const expected = [...items].sort((one, other) => compareText(one.text, other.text));
      expect(await sortedBy(items, ({ text }) => text, withoutPause())).toEqual(expected);
      expect(items).toEqual(before);
    }),
    { numRuns: 30 },
  );
});
