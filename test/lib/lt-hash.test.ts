import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LtHash } from '../../src/lib/lt-hash.js';

const hashOf = (elements: Iterable<string>): LtHash => {
  const hash = LtHash.empty();
  for (const element of elements) hash.add(element);
  return hash;
};
const element = fc.string({ unit: 'grapheme', maxLength: 20 });

it('is the sum of the SHAKE128 of each element, in numbers of 16 bits', () => {
  const lanes = ['a', 'b'].map((text) =>
    createHash('shake128', { outputLength: 2048 }).update(text).digest(),
  );
  const sum = Buffer.alloc(2048);
  for (let at = 0; at < 2048; at += 2) {
    sum.writeUInt16LE(lanes.reduce((all, bytes) => all + bytes.readUInt16LE(at), 0) % 65_536, at);
  }
  const expected = createHash('sha256').update(sum).digest('hex').slice(0, 32);
  expect(hashOf(['b', 'a']).digest()).toBe(expected);
});

it('depends on what is in the set and how often, not on the way there', () => {
  fc.assert(
    fc.property(fc.array(element), fc.array(element), (kept, removed) => {
      const hash = hashOf([...removed, ...kept]);
      for (const one of removed.toReversed()) hash.remove(one);
      expect(hash.digest()).toBe(hashOf(kept.toReversed()).digest());
      expect(hash.count).toBe(kept.length);
      if (removed.length > 0) {
        expect(hashOf([...kept, ...removed]).digest()).not.toBe(hash.digest());
      }
    }),
  );
});

it('is read back as it was written, and from nothing else', () => {
  const hash = hashOf(['a', 'b', 'c']);
  const read = LtHash.parse(hash.serialized());
  expect([read?.digest(), read?.count]).toEqual([hash.digest(), 3]);
  for (const text of ['', '3', 'x AAAA', `3 ${'A'.repeat(100)}`, `-1 ${hash.serialized().slice(2)}`]) {
    expect(LtHash.parse(text)).toBeUndefined();
  }
});
