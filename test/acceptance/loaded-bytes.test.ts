import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { startInProcess } from './adapters/in-process-node.js';

/** What a page loads before it shows a component, with all chunks that come at once, in kB as a server compresses it. */
const MOST = { '/host.js': 26, '/host-frame.js': 14, '/embed.js': 26 } as const;
/** What `import` and `export … from` name, and not what `import()` does. */
const IMPORTED = /(?:from|import)"(\.[^"]+)"/g;

async function loadAll(url: string, loaded: Map<string, number>): Promise<void> {
  if (loaded.has(url)) return;
  const answer = await fetch(url);
  expect(answer.status, url).toBe(200);
  const text = await answer.text();
  loaded.set(url, gzipSync(text).length);
  for (const [, path = ''] of text.matchAll(IMPORTED)) await loadAll(new URL(path, url).href, loaded);
}

test('what a page loads to show one component is small: parsers come when they are needed', async () => {
  const node = await startInProcess();
  for (const [path, kilobytes] of Object.entries(MOST)) {
    const loaded = new Map<string, number>();
    await loadAll(node.url + path, loaded);
    expect(loaded.size, path).toBeGreaterThan(1);
    const bytes = [...loaded.values()].reduce((sum, size) => sum + size, 0);
    expect(bytes / 1000, `${path}, kB compressed`).toBeLessThanOrEqual(kilobytes);
  }
});

test('the code that signs in has at most 15 kB, compressed', () => {
  const assets = new URL('../../dist/assets/', import.meta.url);
  const [built, ...others] = readdirSync(assets).filter((name) => name.startsWith('sign-in-'));
  expect(others).toEqual([]);
  expect(gzipSync(readFileSync(new URL(built ?? '', assets))).length).toBeLessThan(15_000);
});
