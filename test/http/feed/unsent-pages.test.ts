import { expect, test } from 'vitest';
import { UnsentPages } from '../../../src/http/feed/unsent-pages.js';

const asked = (pages: UnsentPages) => pages.make(async (maxBytes) => maxBytes);

test('pages are shorter while readers are slow, so that all together have bounded memory', async () => {
  const pages = new UnsentPages();
  const [lengths, ends]: [number[], (() => void)[]] = [[], []];
  for (let i = 0; i < 200; i++) {
    const bytes = await asked(pages);
    const page = new Uint8Array(bytes);
    // What many read is in memory once.
    ends.push(pages.hold(page), pages.hold(page), pages.hold(page));
    lengths.push(bytes);
  }
  expect(lengths[0]).toBe(900_000);
  expect(lengths.at(-1)).toBe(65_536);
  expect(lengths.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(50_000_000);
  for (const end of ends.splice(1)) end();
  expect(await asked(pages)).toBe(900_000);
  ends[0]?.();
});

test('pages that are being made count, too', async () => {
  const pages = new UnsentPages();
  const lengths: number[] = [];
  const ends: (() => void)[] = [];
  const made = Array.from({ length: 200 }, () =>
    pages.make((bytes) => {
      lengths.push(bytes);
      return new Promise<void>((resolve) => ends.push(resolve));
    }),
  );
  expect(lengths.at(-1)).toBe(65_536);
  for (const end of ends) end();
  await Promise.all(made);
  expect(await asked(pages)).toBe(900_000);
});
