import { describe, expect, it, vi } from 'vitest';
import { changedMap, SharedMap } from '../../../src/store/memory/shared-map.js';
import { seededRandom } from '../../support/seeded-random.js';

type Entries = readonly (readonly [string, { value: number } | undefined])[];
const value = (number: number) => ({ value: number });

describe('a changed map', () => {
  it('holds what it is told to, small or large; without changes it is the same', () => {
    for (const size of [0, 3, 300]) {
      const map = new Map<string, { value: number }>();
      for (let i = 0; i < size; i++) map.set(`key ${i}`, value(i));
      const expected = new Map(map).set('new', value(9));
      expected.delete('key 1');
      const changes: Entries = [
        ['key 1', undefined],
        ['new', value(9)],
      ];
      const changed = changedMap(map, new Map(changes));
      expect(new Map(changed)).toEqual(expected);
      expect(map.size).toBe(size);
      expect(changedMap(changed, new Map())).toBe(changed);
    }
  });
});

describe('a map whose copies share most of it', () => {
  it.each([1, 2, 3])('holds after random changes what a plain map would hold, seed %d', (seed) => {
    const random = seededRandom(seed);
    const below = (most: number) => Math.floor(random() * most);
    const plain = new Map<string, { value: number }>();
    let shared = SharedMap.of<string, { value: number }>(new Map());
    for (let round = 0; round < 60; round++) {
      const changes: Entries = Array.from({ length: below(120) }, () => [
        `key ${below(700)}`,
        random() < 0.3 ? undefined : value(below(1000)),
      ]);
      for (const [key, changed] of changes) {
        if (changed) plain.set(key, changed);
        else plain.delete(key);
      }
      shared = shared.with(new Map(changes));
      expect(new Map(shared)).toEqual(plain);
      expect(new Set(shared.keys())).toEqual(new Set(plain.keys()));
      expect(shared.size).toBe(plain.size);
      for (const key of ['key 0', 'key 500', 'key 699', 'none'])
        expect([shared.get(key), shared.has(key)]).toEqual([plain.get(key), plain.has(key)]);
    }
  });

  it('leaves what it is a copy of as it was', () => {
    const before = SharedMap.of(new Map([['a', value(1)]])).with(new Map([['b', value(2)]]));
    const after = before.with(
      new Map([
        ['a', undefined],
        ['b', value(3)],
      ]),
    );
    expect([...before]).toEqual([
      ['a', value(1)],
      ['b', value(2)],
    ]);
    expect([...after.values()]).toEqual([value(3)]);
  });

  it('looks at all of it only after many changes', () => {
    const large = new Map(Array.from({ length: 8000 }, (_, i) => [`key ${i}`, value(i)]));
    const looked = vi.spyOn(large, Symbol.iterator);
    let shared = SharedMap.of(large);
    const change = (from: number) =>
      new Map(Array.from({ length: 100 }, (_, i) => [`more ${from + i}`, value(i)]));
    for (let from = 0; from < 1000; from += 100) shared = shared.with(change(from));
    expect([looked.mock.calls.length, shared.size]).toEqual([0, 9000]);
    for (let from = 1000; from < 1200; from += 100) shared = shared.with(change(from));
    expect([looked.mock.calls.length, shared.size]).toEqual([1, 9200]);
  });
});
