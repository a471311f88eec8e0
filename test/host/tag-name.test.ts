import { expect, test } from 'vitest';
import { tagNameOf } from '../../src/host/tag-name.js';

const URI = 'https://c.example/card.js';

test.each([
  [['Profile Card'], /^profile-card-[0-9a-z]+$/],
  [['42', 'Café — Übung!'], /^cafe-ubung-[0-9a-z]+$/],
  [['日記'], /^component-[0-9a-z]+$/],
  [[], /^component-[0-9a-z]+$/],
  [['x'.repeat(500)], /^x{40}-[0-9a-z]+$/],
  [['font-face'], /^font-face-[0-9a-z]+$/],
])('tags %j make a name that HTML allows', (tag, expected) => {
  expect(tagNameOf({ uri: URI, tag })).toMatch(expected);
});

test('the name depends on the uri, and on nothing that changes', () => {
  expect(tagNameOf({ uri: URI, tag: ['card'] })).toBe('card-3hnly23jklcl7');
  expect(tagNameOf({ uri: `${URI}?v=2`, tag: ['card'] })).not.toBe(tagNameOf({ uri: URI, tag: ['card'] }));
});
