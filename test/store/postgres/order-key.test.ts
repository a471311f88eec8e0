import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareText } from '../../../src/lib/compare-text.js';
import { isStorable, orderKey, orderKeyFrom } from '../../../src/store/postgres/order-key.js';
import { term, termValue } from '../../../src/store/postgres/terms.js';

/** As the database compares under `COLLATE "C"`. */
const compareBytes = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));

const character = fc.oneof(
  fc.constantFrom(
    'a',
    'b',
    '\u0001',
    '\ud7ff',
    '\ue000',
    '\uffff',
    '\u{10000}',
    '\u{10fffd}',
    '\u{10fffe}',
    '\u{10ffff}',
  ),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }).filter((one) => isStorable(one)),
);
const text = fc.array(character, { maxLength: 8 }).map((characters) => characters.join(''));

test('the database orders keys as JavaScript orders texts', () => {
  fc.assert(
    fc.property(text, text, (one, other) => {
      expect(Math.sign(compareBytes(orderKey(one), orderKey(other)))).toBe(compareText(one, other));
    }),
    { numRuns: 2_000 },
  );
});

test('an ordinary text is its own key', () => {
  expect(orderKey('https://c.example/a.js?ü=漢')).toBe('https://c.example/a.js?ü=漢');
});

test('long texts have short keys of their own, which begin like them', () => {
  const long = (end: string) => `https://c.example/${'é'.repeat(1_000)}${end}`;
  const [one, other] = [orderKey(long('a')), orderKey(long('b'))];
  expect(one).not.toBe(other);
  for (const key of [one, other]) {
    expect(Buffer.byteLength(key)).toBeLessThan(1_300);
    expect(key.startsWith(`https://c.example/${'é'.repeat(500)}`)).toBe(true);
  }
  expect(compareBytes(orderKey('https://c.example/a'), one)).toBeLessThan(0);
  expect(compareBytes(orderKey('https://d.example/'), one)).toBeGreaterThan(0);
});

test('what cannot be stored is cut where that begins', () => {
  for (const bad of ['\0', '\ud83d', '\ude00']) {
    expect(isStorable(`a${bad}b`)).toBe(false);
    expect(orderKeyFrom(`a${bad}b`)).toBe('a');
  }
  expect(isStorable('a😀')).toBe(true);
});

test('a value is read back from its term, unless it is too long for it', () => {
  expect(termValue(term('tag', 'maps'))).toBe('maps');
  expect(term('tag', 'maps')).not.toBe(term('author', 'maps'));
  const long = '漢'.repeat(300);
  expect(termValue(term('tag', long))).toBeUndefined();
  expect(term('tag', long)).not.toBe(term('tag', `${long}x`));
  expect(Buffer.byteLength(term('tag', long))).toBeLessThan(700);
});
