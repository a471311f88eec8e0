import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { getJson, publish, textOf } from '../support/node/node-reader.js';
import { startInProcess } from './adapters/in-process-node.js';

test('nodes behind one address say which one they are: in /status, on the network page and in the log', async () => {
  // As nodes on one database have it: the same address for all of them.
  const baseUrl = 'https://registry.example';
  const node = await startInProcess({ config: { baseUrl, write: 'operator' } });
  const listening = node.log.find(({ msg }) => msg === 'listening');
  const name = String(listening?.node);
  expect(name).toMatch(/^127\.0\.0\.1:\d+$/);
  const itself = { url: `http://${name}` };
  await publish(itself, { uri: 'https://c.example/a.js' });
  const status = await getJson<{ node: string }>(`${itself.url}/status`);
  const page = await textOf(itself, '/network', 'text/html');
  expect(page).toContain(`answered by the node <code>${name}</code>`);
  const audited = node.log.filter(({ audit }) => audit === true);
  expect([status.node, ...audited.map((line) => line.node)]).toEqual([name, name]);
});

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
