import fc from 'fast-check';
import { expect, it } from 'vitest';
import { withoutPause } from '../../src/lib/pace.js';
import { LayeredMap } from '../../src/registry/layered-map.js';
import { component, memoryRegistry } from '../support/registry.js';
import { OK, PEER } from './sources.js';

const urlOf = (i: number) => `https://pod.example/doc${i}`;

it('the lists of a peer stay the same objects until it lists something else', async () => {
  const registry = await memoryRegistry();
  const lists = async (url: string) => {
    const introduced = { peers: [], storage: [{ url, hops: 0, via: [] }] };
    await registry.commit({ source: PEER, documents: [], record: { ...OK, introduced } });
    return (await registry.source(PEER))?.record.introduced;
  };
  const first = await lists('https://pod.example/');
  expect(await lists('https://pod.example/')).toBe(first);
  expect((await lists('https://other.example/'))?.storage).toMatchObject([{ url: 'https://other.example/' }]);
  await registry.close();
});

it('a commit costs what changes of a source, and not what it has', async () => {
  let steps = 0;
  const pace = () => () => {
    steps += 1;
    return undefined;
  };
  const registry = await memoryRegistry({ pace });
  const saying = (i: number, label: string) => ({
    ...{ url: urlOf(i), components: [component(`c${i}`, { label })], record: { etag: label } },
  });
  const documents = Array.from({ length: 2_000 }, (_, i) => saying(i, 'one'));
  await registry.commit({ source: PEER, documents, record: OK });
  steps = 0;
  const changes = [saying(7, 'other'), { url: urlOf(8), record: null }];
  await registry.commit({ source: PEER, documents: changes, record: OK });
  // A part of the listing is written anew, too: some hundred components.
  expect(steps).toBeLessThan(1_000);
  const { documents: held } = (await registry.source(PEER)) ?? {};
  expect([held?.get(urlOf(7))?.etag, held?.has(urlOf(8)), held?.size]).toEqual(['other', false, 1_999]);
  await registry.close();
});

it('a map in layers is what a map would be, and its changes leave it as it was', async () => {
  const edits = fc.array(fc.tuple(fc.nat(200).map(urlOf), fc.option(fc.nat(), { nil: undefined })), {
    maxLength: 150,
  });
  await fc.assert(
    fc.asyncProperty(fc.array(edits, { maxLength: 8 }), async (changes) => {
      let [layered, plain] = [new LayeredMap<number>(), new Map<string, number>()];
      const seen = [{ layered, plain }];
      for (const some of changes) {
        plain = new Map(plain);
        for (const [key, value] of some) value === undefined ? plain.delete(key) : plain.set(key, value);
        layered = await layered.changed(new Map(some), withoutPause());
        seen.push({ layered, plain });
      }
      for (const one of seen) {
        expect(new Map(one.layered)).toEqual(one.plain);
        expect([one.layered.size, [...one.layered.keys()].length]).toEqual([one.plain.size, one.plain.size]);
      }
    }),
    { numRuns: 50 },
  );
});
