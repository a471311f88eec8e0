import fc from 'fast-check';
import { expect, test } from 'vitest';
import { graphRanks } from '../../../src/sync/peer/graph-rank.js';
import type { PeerDataset } from '../../../src/sync/peer/peer-dataset.js';

/** What a dataset tells of an order: for some components, the graphs that describe it, the winner first. */
function datasetOf(listings: readonly (readonly string[])[]): PeerDataset {
  const dataset: PeerDataset = new Map();
  for (const graphs of listings) {
    for (const [i, name] of graphs.entries()) {
      const graph = dataset.get(name) ?? {
        components: new Map(),
        omitted: 0,
        invalid: [],
        unnamed: 0,
        behind: new Set(),
      };
      dataset.set(name, graph);
      const before = graphs[i - 1];
      if (before !== undefined) graph.behind.add(before);
    }
  }
  return dataset;
}

test('the ranks of graphs agree with every order that their peer shows', () => {
  const order = [...'abcdefgh'];
  const listings = fc.array(fc.subarray(order, { minLength: 1 }), { maxLength: 8 });
  fc.assert(
    fc.property(fc.shuffledSubarray(order, { minLength: 8 }), listings, (believed, sets) => {
      const shown = sets.map((set) => believed.filter((graph) => set.includes(graph)));
      const rankOf = graphRanks(datasetOf(shown));
      for (const graphs of shown) {
        expect(graphs.toSorted((a, b) => rankOf(a) - rankOf(b))).toEqual(graphs);
        expect(new Set(graphs.map(rankOf)).size).toBe(graphs.length);
      }
    }),
  );
});

test('an order that leads in a circle ends', () => {
  const rankOf = graphRanks(
    datasetOf([
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'a'],
    ]),
  );
  expect(['a', 'b', 'c'].map(rankOf).every(Number.isSafeInteger)).toBe(true);
});

test('an order of very many graphs is followed, from whichever end', () => {
  const names = Array.from({ length: 20_000 }, (_, i) => `g${i}`);
  expect(graphRanks(datasetOf([names]))('g19999')).toBe(19_999);
});
