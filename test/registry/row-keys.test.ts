import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LOCAL, type Source } from '../../src/component/source.js';
import {
  partRowKey,
  pinRowKey,
  sourceOfPart,
  sourceRowKey,
  statementRowKey,
  uriOfRowKey,
} from '../../src/registry/row-keys.js';

/** Bytes of a key that every keep takes (`src/keep/keep.ts`). */
const LONGEST = 1_200;

/** Addresses up to far beyond what is a key as it is, of characters of one to four bytes; IRIs have no spaces. */
const letters = fc.constantFrom('a', '/', 'é', '字', '😀', '#');
const address = fc
  .tuple(
    fc.constantFrom('', '字'.repeat(300), 'x'.repeat(1_100), '字'.repeat(400)),
    fc.string({ unit: letters, maxLength: 8 }),
  )
  .map(([beginning, end]) => `https://c.example/${beginning}${end}`);
const source = address.map((url): Source => ({ kind: 'peer', url }));

it('makes keys that every keep takes, of names of any length, other ones of other names', () => {
  fc.assert(
    fc.property(source, source, address, address, (one, other, name, otherName) => {
      const [version, document] = [name, otherName];
      const keyOf = (uri: string, document: string) => statementRowKey({ source: one, document, uri });
      const keys = [
        [sourceRowKey(one), sourceRowKey(other)],
        [partRowKey(one, name), partRowKey(one, otherName)],
        [pinRowKey({ uri: name, version }), pinRowKey({ uri: otherName, version })],
        [keyOf(name, document), keyOf(otherName, document)],
        [keyOf(document, name), keyOf(document, otherName)],
      ] as const;
      for (const [key, otherKey] of keys) {
        const names = keys[0][0] === key ? [one.url, other.url] : [name, otherName];
        expect(key === otherKey).toBe(names[0] === names[1]);
        expect(Buffer.byteLength(key)).toBeLessThanOrEqual(LONGEST);
        expect(key.isWellFormed()).toBe(true);
      }
      expect(sourceOfPart(partRowKey(one, name))).toBe(sourceRowKey(one));
    }),
  );
});

it('orders the keys of statements by their uris, which can be read from them where they are not long', () => {
  fc.assert(
    fc.property(address, address, address, (uri, later, document) => {
      const keyOf = (name: string) => statementRowKey({ source: LOCAL, document, uri: name });
      const key = keyOf(uri);
      if (Buffer.byteLength(uri) <= 1_000) expect(uriOfRowKey(key)).toBe(uri);
      else expect(uri.startsWith(uriOfRowKey(key))).toBe(true);
      const [first, second] = [uri, later].sort();
      const short = Buffer.byteLength(uri + later) <= 1_000;
      if (short && first !== second && !second?.startsWith(`${first}`))
        expect(keyOf(first ?? '') < keyOf(second ?? '')).toBe(true);
    }),
  );
});
