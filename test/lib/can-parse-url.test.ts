import { expect, it } from 'vitest';
import { canParseUrl } from '../../src/lib/can-parse-url.js';

it.each([
  ['https://ünïcode.example/a', undefined, true],
  ['https://例え.example/部品/日記.js', undefined, true],
  ['a/b', 'https://ünïcode.example/', true],
  ['a/b', undefined, false],
  ['https://', undefined, false],
  ['https://x.example:99999/', undefined, false],
])('%s in relation to %s: the same answer however often it is asked', (text, base, expected) => {
  // More calls than it takes until V8 optimises the function.
  const answers = new Set(Array.from({ length: 10_000 }, () => canParseUrl(text, base)));
  expect([...answers]).toEqual([expected]);
});
