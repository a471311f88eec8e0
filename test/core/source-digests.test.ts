import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Metadata } from '../../src/component/metadata.js';
import type { Source } from '../../src/component/source.js';
import * as digests from '../../src/core/source-digests.js';
import { LtHash } from '../../src/lib/lt-hash.js';
import { component } from './component.js';

const POD: Source = { kind: 'pod', url: 'https://pod.example/' };
const [a, b, c] = ['a', 'b', 'c'].map((name) => component(name)) as [Metadata, Metadata, Metadata];
type Said = readonly [of: string, document: string, metadata: Metadata];
/** A change to the hashes of a source that says this, and what is gone no more. */
function change(said: readonly Said[], before = digests.NO_HASHES, gone: readonly Said[] = []) {
  const change = new digests.HashChange(before);
  for (const one of said) change.add(...one);
  for (const one of gone) change.remove(...one);
  return change;
}
const place = { rank: 1, position: 7 };
const summary = (hashes: digests.SourceHashes) => digests.sourceSummary(POD, hashes, place);

test('the digest of a source is that of what it says, in whatever order and way it came to say it', () => {
  const parts = [fc.constantFrom('', 'pod x'), fc.constantFrom('d', 'e'), fc.constantFrom(a, b, c)] as const;
  const said = fc.uniqueArray(fc.tuple(...parts), { selector: ([, document, { uri }]) => document + uri });
  fc.assert(
    fc.property(said, said, (before, after) => {
      const first = change(before).all;
      const changed = change(after, first, before).all;
      expect(summary(changed)).toEqual(summary(change(after.toReversed()).all));
      expect([...changed.keys()].sort()).toEqual([...new Set(after.map(([of]) => of))].sort());
      // What it was before is as it was.
      expect(summary(first)).toEqual(summary(change(before).all));
    }),
  );
});

test('it tells documents and descriptions apart, and is nothing of nothing', () => {
  const said: Said[] = [
    ['', 'd', a],
    ['', 'd', b],
    ['', 'e', a],
  ];
  expect(new Set(said.map((one) => summary(change([one]).all)?.digest)).size).toBe(3);
  expect(summary(change(said).all)).toMatchObject({ source: POD, count: 3, ...place });
  expect([digests.NO_HASHES, new Map([['', LtHash.empty()]])].map(summary)).toEqual([undefined, undefined]);
});

test('it is compared with what the other side tells of its sources', () => {
  const { all, ...made } = change([
    ['x', 'd', a],
    ['y', 'e', b],
  ]);
  const [x = '', y = ''] = ['x', 'y'].map((of) => all.get(of)?.digest());
  const nothing = LtHash.empty().digest();
  const unchanged = new digests.HashChange(all);
  const verify = (told: Record<string, string>) => () => unchanged.verify(new Map(Object.entries(told)));
  unchanged.verify(undefined);
  verify({ x, y, none: nothing })();
  verify({ x })();
  expect(verify({ x: y, y, none: x })).toThrow(new digests.DigestMismatch(['x', 'none']));
  expect([unchanged.changed.size, made.changed.size]).toEqual([0, 2]);
  expect(unchanged.all).toBe(all);
});

const summaryOf = (url: string, position: number): digests.SourceSummary => {
  return { source: { kind: 'pod', url }, rank: 1, count: 2, digest: 'x', position };
};
const ALL = [summaryOf('https://a.example/', 5), summaryOf('https://b.example/', 6)];

test('a feed says all of the sources of a node, or what has changed since a state', () => {
  expect(digests.summariesFor(ALL, undefined)).toEqual(ALL);
  expect(digests.summariesFor(ALL, { position: 5 })).toEqual(ALL.slice(1));
});

test('its digest moves with each of them and with the lists, and with nothing else', () => {
  const before = digests.feedDigest(ALL, 3);
  expect(before).toMatch(/^[0-9a-f]{32}$/);
  expect(digests.feedDigest(ALL.map((one) => ({ ...one, position: 99 })).reverse(), 3)).toBe(before);
  const source = { kind: 'peer', url: 'https://a.example/' } as const;
  const changed = [{ source }, { rank: 2 }, { count: 3 }, { digest: 'y' }].map((more) => {
    return digests.feedDigest([{ ...summaryOf('https://a.example/', 5), ...more }, ...ALL.slice(1)], 3);
  });
  const fewer = digests.feedDigest(ALL.slice(1), 3);
  expect(new Set([before, digests.feedDigest(ALL, 4), fewer, ...changed]).size).toBe(7);
});
