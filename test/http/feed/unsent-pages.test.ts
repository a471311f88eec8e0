import { expect, test } from 'vitest';
import { UnsentPages } from '../../../src/http/feed/unsent-pages.js';

test('pages are shorter while many are made or read, each counted once, so that all have bounded memory', async () => {
  const pages = new UnsentPages();
  const asked = () => pages.make(async (maxBytes) => maxBytes);
  const lengths: number[] = [];
  const ends: (() => void)[] = [];
  const made = Array.from({ length: 200 }, () =>
    pages.make((bytes) => {
      lengths.push(bytes);
      return new Promise<void>((resolve) => ends.push(resolve));
    }),
  );
  expect([lengths[0], lengths.at(-1)]).toEqual([900_000, 65_536]);
  for (const end of ends) end();
  await Promise.all(made);
  expect(await asked()).toBe(900_000);

  const page = new Uint8Array(30_000_000);
  const readers = [1, 2, 3].map(() => pages.hold(page));
  expect(await asked()).toBe(500_000);
  for (const end of readers.splice(1)) end();
  expect(await asked()).toBe(500_000);
  readers[0]?.();
  expect(await asked()).toBe(900_000);
});
