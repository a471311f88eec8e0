import { beforeEach, expect, test } from 'vitest';
import { UnsentPages } from '../../../src/http/feed/unsent-pages.js';

let pages: UnsentPages;
beforeEach(() => {
  pages = new UnsentPages();
});
const longest = () => pages.make(async (maxBytes) => maxBytes);

test('pages are shorter while many are being made', async () => {
  const lengths = await Promise.all(Array.from({ length: 200 }, longest));
  expect([lengths[0], lengths.at(-1), await longest()]).toEqual([900_000, 65_536, 900_000]);
});

test('a page that many read counts once, until the last of them has it', async () => {
  const page = new Uint8Array(30_000_000);
  const readers = [1, 2, 3].map(() => pages.hold(page));
  expect(await longest()).toBe(500_000);
  for (const end of readers.splice(1)) end();
  expect(await longest()).toBe(500_000);
  readers[0]?.();
  expect(await longest()).toBe(900_000);
});
