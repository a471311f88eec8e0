import { expect, it } from 'vitest';
import { outlived, REMOVALS_REMEMBERED, unknownState } from '../../src/core/feed-window.js';

const NOW = REMOVALS_REMEMBERED * 3;
const removals = (count: number, at = NOW) =>
  Array.from({ length: count }, (_, i) => ({ position: i + 1, at }));

/** How many removals are forgotten, of so many that are remembered of a registry with so many statements. */
it.each([
  { count: 3, statements: 0, forgotten: 0 },
  { count: 3, statements: 0, at: NOW - REMOVALS_REMEMBERED + 1, forgotten: 0 },
  { count: 3, statements: 0, at: NOW - REMOVALS_REMEMBERED, forgotten: 3 },
  { count: 50_000, statements: 7, forgotten: 0 },
  { count: 50_002, statements: 7, forgotten: 2 },
  { count: 50_002, statements: 50_001, forgotten: 1 },
  { count: 50_002, statements: 50_002, forgotten: 0 },
])('forgets $forgotten of $count removals beside $statements statements', ({ at, forgotten, ...known }) => {
  const gone = outlived(removals(known.count, at), { ...known, now: NOW });
  expect(gone.map(({ position }) => position)).toEqual(removals(forgotten).map(({ position }) => position));
});

it('calls a cursor expired from before the removals that are forgotten, also of those that were too many', () => {
  const floor = outlived(removals(50_002), { count: 50_002, statements: 0, now: NOW }).at(-1)?.position ?? 0;
  const never = { number: 1, since: 0, epoch: 'e' };
  const state = { revision: never, networkRevision: never, feed: { position: 50_002, floor, digest: 'd' } };
  const cursor = (position: number) => ({ epoch: 'e', position, digest: 'aaaaaaaa' });
  expect(unknownState(cursor(floor - 1), state, 'aaaaaaaa')).toEqual({ unknown: 'expired' });
  expect(unknownState(cursor(floor), state, 'aaaaaaaa')).toBeUndefined();
});
