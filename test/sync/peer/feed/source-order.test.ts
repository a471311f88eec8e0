import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareText } from '../../../../src/lib/compare-text.js';
import { type Place, SourceOrder } from '../../../../src/sync/peer/feed/source-order.js';

const place: fc.Arbitrary<Place> = fc.record({
  of: fc
    .tuple(fc.constantFrom('pod', 'peer'), fc.constantFrom('a', 'a/', 'a/b', 'b', 'a:8', 'a.c'))
    .map(([kind, name]) => `${kind} https://${name}`),
  sourceRank: fc.constantFrom(0, 1, 2_000_000, 4_000_000),
  documentRank: fc.constantFrom(0, 7, 2 ** 51),
  graph: fc.constantFrom('', 'https://a/1', 'https://a/2'),
});

const url = ({ of }: Place) => of.slice(of.indexOf(' ') + 1);
/** As an engine compares statements of the peer. */
const compare = (one: Place, other: Place) =>
  one.sourceRank - other.sourceRank ||
  compareText(url(one), url(other)) ||
  compareText(one.of, other.of) ||
  one.documentRank - other.documentRank ||
  compareText(one.graph, other.graph);

describe('the order in which a mirror believes the documents of its peer', () => {
  it('is that of the peer, however its sources come, and what has a rank keeps it', () => {
    fc.assert(
      fc.property(fc.array(fc.array(place, { maxLength: 6 }), { maxLength: 12 }), (arrivals) => {
        let order = new SourceOrder();
        const all: Place[] = [];
        for (const places of arrivals) {
          const before = all.map((one) => order.rankOf(one));
          expect(order.add(places)).toBe(true);
          expect(all.map((one) => order.rankOf(one))).toEqual(before);
          all.push(...places);
          // As it is after a restart.
          order = new SourceOrder(JSON.parse(JSON.stringify(order.ranked)));
        }
        const ranks = all.toSorted(compare).map((one) => order.rankOf(one) ?? Number.NaN);
        expect(ranks).toEqual(ranks.toSorted((one, other) => one - other));
        expect(new Set(ranks).size).toBe(new Set(all.map((one) => JSON.stringify(one))).size);
        for (const rank of ranks) expect(Number.isSafeInteger(rank) && rank > 0).toBe(true);
      }),
    );
  });

  it('has room for many sources before and behind all others', () => {
    const order = new SourceOrder();
    const at = (sourceRank: number) => ({ of: 'pod https://a/', sourceRank, documentRank: 0, graph: '' });
    for (let i = 0; i < 1000; i++) expect(order.add([at(10_000 + i), at(10_000 - i)])).toBe(true);
    expect(order.ranked).toHaveLength(1999);
  });

  it('says when there is no room between two, and changes nothing then', () => {
    const order = new SourceOrder();
    const at = (documentRank: number) => ({ of: 'pod https://a/', sourceRank: 0, documentRank, graph: '' });
    order.add([at(0), at(2 ** 40)]);
    let high = 2 ** 40;
    while (order.add([at(high / 2)])) high /= 2;
    expect(high).toBeGreaterThan(2);
    expect(order.rankOf(at(high / 2))).toBeUndefined();
    expect(order.rankOf(at(high))).toBeDefined();
  });

  it('forgets what is not used any more', () => {
    const order = new SourceOrder();
    const at = (sourceRank: number) => ({ of: 'pod https://a/', sourceRank, documentRank: 0, graph: '' });
    order.add([at(1), at(2)]);
    const kept = order.rankOf(at(2));
    order.keep((rank) => rank === kept);
    expect(order.rankOf(at(1))).toBeUndefined();
    expect(order.rankOf(at(2))).toBe(kept);
  });
});
