import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ListingCodings } from '../../../src/http/components/listing-codings.js';
import { withoutPause } from '../../../src/lib/pace.js';

describe('compressed copies of a listing', () => {
  it('are not tried again for a state in which they would be too large', async () => {
    const codings = new ListingCodings(withoutPause, 100_000);
    // Random, so that no coding makes them shorter.
    const pieces = Array.from({ length: 200 }, () => randomBytes(10_000));
    let asked = 0;
    const json = {
      bytes: 2_000_000,
      pieces() {
        asked += 1;
        return pieces;
      },
    };
    const [first, second] = [{}, {}];
    for (const state of [first, first, second, second]) {
      await codings.make(['gzip', 'br'], state, json);
      expect([codings.get('gzip', state), codings.get('br', state)]).toEqual([undefined, undefined]);
    }
    // Once for each coding in each state.
    expect(asked).toBe(4);
    expect(codings.bytes).toBe(0);
  });
});
