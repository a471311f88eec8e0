import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Source } from '../../src/component/source.js';
import {
  DigestMismatch,
  feedDigest,
  HashChange,
  NO_HASHES,
  type SourceHashes,
  type SourceSummary,
  sourceSummary,
  summariesFor,
} from '../../src/core/source-digests.js';
import { LtHash } from '../../src/lib/lt-hash.js';
import { component } from '../support/registry.js';

const POD: Source = { kind: 'pod', url: 'https://pod.example/' };
const [a, b, c] = ['a', 'b', 'c'].map((name) => component(name)) as [M, M, M];
type M = ReturnType<typeof component>;
type Said = readonly [of: string, document: string, metadata: M];
/** The hashes of a source that says this, as a change of what it said before. */
const hashesOf = (said: readonly Said[], before: SourceHashes = NO_HASHES, gone: readonly Said[] = []) => {
  const change = new HashChange(before);
  for (const one of said) change.add(...one);
  for (const one of gone) change.remove(...one);
  return change;
};
const place = { rank: 1, position: 7 };
const digest = (hashes: SourceHashes) => sourceSummary(POD, hashes, place);

describe('the digest of a source', () => {
  it('is that of what it says, in whatever order and by whatever way it came to say it', () => {
    const said = fc.uniqueArray(
      fc.tuple(fc.constantFrom('', 'pod x'), fc.constantFrom('d', 'e'), fc.constantFrom(a, b, c)),
      { selector: ([, document, { uri }]) => document + uri },
    );
    fc.assert(
      fc.property(said, said, (before, after) => {
        const first = hashesOf(before);
        const changed = hashesOf(after, first.all, before);
        expect(digest(changed.all)).toEqual(digest(hashesOf(after.toReversed()).all));
        expect([...changed.all.keys()].sort()).toEqual([...new Set(after.map(([of]) => of))].sort());
        // What it was before is as it was.
        expect(digest(first.all)).toEqual(digest(hashesOf(before).all));
      }),
    );
  });

  it('tells documents and descriptions apart, and is nothing of nothing', () => {
    const said: Said[] = [
      ['', 'd', a],
      ['', 'd', b],
      ['', 'e', a],
    ];
    const digests = said.map((one) => digest(hashesOf([one]).all)?.digest);
    expect(new Set(digests).size).toBe(3);
    expect(digest(hashesOf(said).all)).toMatchObject({ source: POD, count: 3, ...place });
    expect(digest(NO_HASHES)).toBeUndefined();
    expect(digest(new Map([['', LtHash.empty()]]))).toBeUndefined();
  });

  it('is compared with what the other side tells of its sources', () => {
    const change = hashesOf([
      ['x', 'd', a],
      ['y', 'e', b],
    ]);
    const told = (of: string) => change.all.get(of)?.digest() ?? '';
    const nothing = LtHash.empty().digest();
    change.verify(undefined);
    change.verify(
      new Map([
        ['x', told('x')],
        ['y', told('y')],
        ['none', nothing],
      ]),
    );
    const wrong = new Map([
      ['x', told('y')],
      ['y', told('y')],
      ['none', told('x')],
    ]);
    expect(() => change.verify(wrong)).toThrow(new DigestMismatch(['x', 'none']));
    const unchanged = new HashChange(change.all);
    unchanged.verify(new Map([['x', told('x')]]));
    expect([unchanged.changed.size, change.changed.size]).toEqual([0, 2]);
  });
});

describe('what a feed says of the sources of a node', () => {
  const summary = (url: string, position: number, more: Partial<SourceSummary> = {}): SourceSummary => ({
    ...{ source: { kind: 'pod', url }, rank: 1, count: 2, digest: 'x', position },
    ...more,
  });
  const all = [summary('https://a.example/', 5), summary('https://b.example/', 6)];

  it('is all of it, or what has changed since a state', () => {
    expect(summariesFor(all, undefined)).toEqual(all);
    expect(summariesFor(all, { position: 5 })).toEqual(all.slice(1));
  });

  it('has a digest that moves with each of them and with the lists, and with nothing else', () => {
    const before = feedDigest(all, 3);
    expect(before).toMatch(/^[0-9a-f]{32}$/);
    expect(feedDigest(all.map((one) => ({ ...one, position: 99 })).reverse(), 3)).toBe(before);
    const [one, other] = all as [SourceSummary, SourceSummary];
    const source = { ...one.source, kind: 'peer' } as const;
    const others = [{ source }, { rank: 2 }, { count: 3 }, { digest: 'y' }].map((more) => [
      { ...one, ...more },
      other,
    ]);
    expect(
      new Set([before, feedDigest(all, 4), ...[...others, [one]].map((each) => feedDigest(each, 3))]).size,
    ).toBe(7);
  });
});
