import { describe, expect, it } from 'vitest';
import { unsnapped } from '../../../../src/store/disk/leveldb/snappy.js';

const block = (length: number[], ...elements: (number | string)[]) =>
  Buffer.concat([
    Buffer.from(length),
    ...elements.map((element) => (typeof element === 'string' ? Buffer.from(element) : Buffer.of(element))),
  ]);

describe('a block of Snappy', () => {
  it.each<[string, Buffer, string]>([
    ['nothing', block([0]), ''],
    ['a literal', block([5], 4 << 2, 'abcde'), 'abcde'],
    ['a literal of 60 bytes and more', block([70], 60 << 2, 69, 'x'.repeat(70)), 'x'.repeat(70)],
    ['a literal of 256 bytes and more', block([0xac, 2], 61 << 2, 0x2b, 1, 'x'.repeat(300)), 'x'.repeat(300)],
    ['a near copy', block([9], 4 << 2, 'abcde', (0 << 5) | (0 << 2) | 1, 5), 'abcdeabcd'],
    ['a far copy', block([7], 4 << 2, 'abcde', (1 << 2) | 2, 4, 0), 'abcdebc'],
    ['a very far copy', block([7], 4 << 2, 'abcde', (1 << 2) | 3, 4, 0, 0, 0), 'abcdebc'],
    ['a copy that reaches into itself', block([8], 1 << 2, 'ab', (2 << 2) | 1, 2), 'abababab'],
  ])('is decompressed: %s', (_what, bytes, text) => {
    expect(unsnapped(bytes).toString()).toBe(text);
  });

  it.each<[string, Buffer]>([
    ['no length', block([])],
    ['a length of more than 64 MB', block([0xff, 0xff, 0xff, 0xff, 0x0f])],
    ['less than announced', block([6], 4 << 2, 'abcde')],
    ['more than announced', block([4], 4 << 2, 'abcde')],
    ['a literal that is cut off', block([5], 4 << 2, 'abc')],
    ['a copy of what is not there', block([9], 4 << 2, 'abcde', 1, 6)],
    ['a copy of nothing', block([9], 4 << 2, 'abcde', 1, 0)],
  ])('is refused when it has %s', (_what, bytes) => {
    expect(() => unsnapped(bytes)).toThrow(RangeError);
  });
});
