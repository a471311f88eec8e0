import { expect, test } from 'vitest';
import { packed, unpacked } from '../../../src/lib/pool/packed.js';

test('a result comes whole from its portions, which are short, with a pause after each', async () => {
  const result = {
    none: [],
    many: Array.from({ length: 1_234 }, (_, i) => ({ uri: `https://c.example/${i}.js`, tag: ['ü', '"\n'] })),
    long: ['x'.repeat(60_000), '\ud800 alone', 'y'.repeat(30_000), 'z'.repeat(30_000)],
    other: { list: [1, 2], nothing: null },
    absent: undefined,
    flag: false,
  };
  const parts = packed(result, 1);
  // A long item is a portion of its own.
  expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(60_100);
  expect(parts.filter(({ length }) => length > 50_100)).toHaveLength(1);
  // Nothing of the memory of another one comes along.
  expect(parts.every(({ buffer, byteLength }) => buffer.byteLength === byteLength)).toBe(true);
  let pauses = 0;
  const breathe = async () => {
    pauses += 1;
  };
  expect(await unpacked(parts, breathe)).toEqual(result);
  expect(pauses).toBe(parts.length);
});

test('a result that takes more than it may is refused, whatever took its memory before', () => {
  const said = 'x'.repeat(16_000);
  const list = Array.from({ length: 100 }, () => said);
  expect(packed({ list }, 2)).toHaveLength(35);
  expect(() => packed({ list }, 1)).toThrow('takes more than 1 MB of memory');
});
