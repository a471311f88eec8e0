import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { type InProcessNode, startInProcess } from './adapters/in-process-node.js';

/** What a page loads before it shows a component, with all chunks that come at once, in kB as a server compresses it. */
const MOST = { '/host.js': 26, '/host-frame.js': 14, '/embed.js': 26 } as const;
/** What `import` and `export … from` name, and not what `import()` does. */
const IMPORTED = /(?:from|import)"(\.[^"]+)"/g;

async function load(url: string, loaded: Map<string, number>): Promise<void> {
  if (loaded.has(url)) return;
  const answer = await fetch(url);
  expect(answer.status, url).toBe(200);
  const text = await answer.text();
  loaded.set(url, gzipSync(text).length);
  for (const [, path = ''] of text.matchAll(IMPORTED)) await load(new URL(path, url).href, loaded);
}

test('what a page loads to show one component is small: parsers come when they are needed', async () => {
  const node: InProcessNode = await startInProcess();
  for (const [path, kilobytes] of Object.entries(MOST)) {
    const loaded = new Map<string, number>();
    await load(node.url + path, loaded);
    expect(loaded.size, path).toBeGreaterThan(1);
    const bytes = [...loaded.values()].reduce((sum, size) => sum + size, 0);
    expect(bytes / 1000, `${path}, kB compressed`).toBeLessThanOrEqual(kilobytes);
  }
});
