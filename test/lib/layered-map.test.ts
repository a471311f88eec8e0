import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LayeredMap } from '../../src/lib/layered-map.js';
import { withoutPause } from '../../src/lib/pace.js';

const value = fc.option(fc.nat(), { nil: undefined });
const edits = fc.array(fc.tuple(fc.nat(200).map(String), value), { maxLength: 60 });

it('is what a map is after the same changes, and stays so when there are more', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(edits, { maxLength: 12 }), async (changes) => {
      let map = new LayeredMap<number>();
      const model = new Map<string, number>();
      const before: [LayeredMap<number>, Map<string, number>][] = [];
      for (const some of changes) {
        map = await map.changed(new Map(some), withoutPause());
        for (const [key, now] of new Map(some)) {
          if (now === undefined) model.delete(key);
          else model.set(key, now);
        }
        before.push([map, new Map(model)]);
      }
      for (const [one, known] of before) {
        expect(new Map(one.entries())).toEqual(known);
        expect(one.size).toBe(known.size);
        for (const key of ['0', '7', '100', '200']) expect(one.get(key)).toBe(known.get(key));
      }
    }),
  );
});
