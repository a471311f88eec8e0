import { expect, it } from 'vitest';
import { type Cursor, cursorOf, cursorText, parseCursor } from '../../src/core/cursor.js';
import { outlived, REMOVALS_REMEMBERED, unknownState } from '../../src/core/feed-window.js';

const STATE = {
  revision: { epoch: 'k3x9' },
  feed: { position: 120, digest: '0123456789abcdef', floor: 100 },
};
const NOW = cursorOf(STATE);

it('a cursor names the state that it was made of', () => {
  expect(cursorText(NOW)).toBe('k3x9.120.01234567');
  for (const position of [0, 9, 120, 999_999_999_999_999])
    expect(parseCursor(cursorText({ ...NOW, position }))).toEqual({ ...NOW, position });
  expect(parseCursor('abcdefghijklmno9.0.89abcdef')).toMatchObject({ position: 0, digest: '89abcdef' });
});

it.each([
  ...['', 'k3x9', '.120.01234567', 'K3X9.120.01234567', 'abcdefghijklmnopq.120.01234567', 'k3x9..01234567'],
  ...['k3x9.012.01234567', 'k3x9.-1.01234567', 'k3x9.1x.01234567', 'k3x9.1234567890123456.01234567'],
  ...['k3x9.120.0123456', 'k3x9.120.0123456g', 'k3x9.120.012345678', ' k3x9.120.01234567'],
  'k3x9.120.01234567.',
])('a cursor is nothing else: "%s"', (text) => {
  expect(parseCursor(text)).toBeUndefined();
});

const { digest } = NOW;
it.each<[what: string, cursor: Partial<Cursor>, digest: string | undefined, unknown?: string]>([
  ['its present state, whatever it remembers', {}, undefined],
  ['one that it remembers', { position: 110 }, digest],
  ['the oldest that it remembers', { position: 100 }, digest],
  ['none of another directory', { epoch: 'other', position: 110 }, digest, 'epoch'],
  ['none of another directory with the same place and digest', { epoch: 'other' }, digest, 'epoch'],
  ['none that has not been yet', { position: 121 }, undefined, 'future'],
  ['none before what it remembers of removals', { position: 99 }, digest, 'expired'],
  ['none with another digest', { position: 110, digest: 'ffffffff' }, digest, 'fork'],
  ['none at a place that it does not remember', { position: 110 }, undefined, 'fork'],
  ['none with another digest at the present place', { digest: 'ffffffff' }, digest, 'fork'],
])('a registry vouches for having been in %s', (_, cursor, digest, unknown) => {
  expect(unknownState({ ...NOW, ...cursor }, STATE, digest)?.unknown).toBe(unknown);
});

/** Of so many removals, the first ones, `old` in number, are 180 days old, the others a little younger. */
it.each<[what: string, count: number, statements: number, old: number, gone: number]>([
  ['for 180 days', 10, 0, 3, 3],
  ['50,000 of them, however few statements there are', 50_000, 10, 0, 0],
  ['and no more where there are few statements', 50_002, 10, 0, 2],
  ['as many as there are statements', 50_002, 50_001, 0, 1],
  ['the old ones go, whether or not there are too many', 50_002, 10, 5, 5],
])('removals are remembered %s', (_, count, statements, old, gone) => {
  expect(REMOVALS_REMEMBERED / 86_400_000).toBe(180);
  const removals = Array.from({ length: count }, (_, i) => ({ position: i, at: i < old ? 0 : 1 }));
  const forgotten = outlived(removals, { count, statements, now: REMOVALS_REMEMBERED });
  expect(forgotten).toEqual(removals.slice(0, gone));
});
