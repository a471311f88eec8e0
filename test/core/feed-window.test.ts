import { describe, expect, it } from 'vitest';
import { type Cursor, cursorOf, cursorText, parseCursor } from '../../src/core/cursor.js';
import { outlived, REMOVALS_REMEMBERED, unknownState } from '../../src/core/feed-window.js';

const STATE = {
  revision: { epoch: 'k3x9' },
  feed: { position: 120, digest: '0123456789abcdef', floor: 100 },
};
const NOW = cursorOf(STATE);
const earlier = (more: Partial<Cursor> = {}): Cursor => ({ ...NOW, position: 110, ...more });

describe('a cursor', () => {
  it('names the state that it was made of', () => {
    expect(cursorText(NOW)).toBe('k3x9.120.01234567');
    for (const position of [0, 9, 120, 999_999_999_999_999])
      expect(parseCursor(cursorText({ ...NOW, position }))).toEqual({ ...NOW, position });
    expect(parseCursor('abcdefghijklmno9.0.89abcdef')).toMatchObject({ position: 0, digest: '89abcdef' });
  });

  it.each([
    '',
    'k3x9',
    '.120.01234567',
    'K3X9.120.01234567',
    'abcdefghijklmnopq.120.01234567',
    'k3x9..01234567',
    'k3x9.012.01234567',
    'k3x9.-1.01234567',
    'k3x9.1x.01234567',
    'k3x9.1234567890123456.01234567',
    'k3x9.120.0123456',
    'k3x9.120.0123456g',
    'k3x9.120.012345678',
    ' k3x9.120.01234567',
    'k3x9.120.01234567.',
  ])('is nothing else: "%s"', (text) => {
    expect(parseCursor(text)).toBeUndefined();
  });
});

describe('a registry vouches for having been in', () => {
  it.each<[what: string, cursor: Cursor, digest: string | undefined, unknown: string | undefined]>([
    ['its present state, whatever it remembers', NOW, undefined, undefined],
    ['one that it remembers', earlier(), NOW.digest, undefined],
    ['the oldest that it remembers', earlier({ position: 100 }), NOW.digest, undefined],
    ['none of another directory', earlier({ epoch: 'other' }), NOW.digest, 'epoch'],
    [
      'none of the same place and digest of another directory',
      { ...NOW, epoch: 'other' },
      NOW.digest,
      'epoch',
    ],
    ['none that has not been yet', earlier({ position: 121 }), undefined, 'future'],
    ['none before what it remembers of removals', earlier({ position: 99 }), NOW.digest, 'expired'],
    ['none with another digest', earlier({ digest: 'ffffffff' }), NOW.digest, 'fork'],
    ['none at a place that it does not remember', earlier(), undefined, 'fork'],
    ['none with another digest at the present place', { ...NOW, digest: 'ffffffff' }, NOW.digest, 'fork'],
  ])('%s', (_, cursor, digest, unknown) => {
    expect(unknownState(cursor, STATE, digest)?.unknown).toBe(unknown);
  });
});

describe('removals are remembered', () => {
  /** How many of so many are forgotten. The first of them, `old` in number, are 180 days old; the others a little younger. */
  const forgotten = (count: number, statements: number, old: number) => {
    const removals = Array.from({ length: count }, (_, i) => ({ position: i, at: i < old ? 0 : 1 }));
    const gone = outlived(removals, { count, statements, now: REMOVALS_REMEMBERED });
    expect(gone).toEqual(removals.slice(0, gone.length));
    return gone.length;
  };

  it.each<[what: string, count: number, statements: number, old: number, gone: number]>([
    ['for 180 days', 10, 0, 3, 3],
    ['50,000 of them, however few statements there are', 50_000, 10, 0, 0],
    ['and no more where there are few statements', 50_002, 10, 0, 2],
    ['as many as there are statements', 50_002, 50_001, 0, 1],
    ['the old ones go, whether or not there are too many', 50_002, 10, 5, 5],
  ])('%s', (_, count, statements, old, gone) => {
    expect(forgotten(count, statements, old)).toBe(gone);
  });
});
