import { expect, it } from 'vitest';
import { canParseUrl, normalUrl } from '../../src/lib/can-parse-url.js';

it.each([
  ['https://ünïcode.example/a', undefined, true],
  ['https://例え.example/部品/日記.js', undefined, true],
  ['a/b', 'https://ünïcode.example/', true],
  ['a/b', undefined, false],
  ['https://', undefined, false],
  ['https://x.example:99999/', undefined, false],
])('%s in relation to %s: the same answer however often it is asked', (text, base, expected) => {
  // More calls than it takes until V8 optimises the function.
  const answers = new Set(Array.from({ length: 50_000 }, () => canParseUrl(text, base)));
  expect([...answers]).toEqual([expected]);
});

it.each([
  ['HTTPS://Pod.example:443/a/../b', 'https://pod.example/b'],
  ['not a URL', undefined],
])('%s has the same normal form however often it is asked for, also after many others', (text, form) => {
  const answers = () => [normalUrl(text), normalUrl(text)];
  const before = answers();
  for (let i = 0; i < 20_000; i++) normalUrl(`https://pod.example/${i}`);
  expect([...before, ...answers()]).toEqual([form, form, form, form]);
});
