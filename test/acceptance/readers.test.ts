import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { type NetworkNode, networkNodes } from './adapters/network-node.js';

interface ReaderLine {
  readonly url: string;
  readonly version: string;
  readonly requests: number;
}

const readersOf = async (node: NetworkNode) =>
  (await node.json<{ readers: ReaderLine[] }>('/status')).readers;

test('a node knows which nodes read it, also when it answers them from its cache', async () => {
  const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
  const [read, one, other] = (await networkNodes(3)) as [NetworkNode, NetworkNode, NetworkNode];
  await read.start();
  await one.start({ peers: [read.url] });
  await other.start({ mode: 'mirror', peers: [read.url] });
  await one.sync();
  await other.sync();
  expect((await readersOf(read)).map(({ url, version }) => [url, version])).toEqual([
    [other.url, version],
    [one.url, version],
  ]);
  const requestsOf = async () => (await readersOf(read)).find(({ url }) => url === one.url)?.requests ?? 0;
  const before = await requestsOf();
  for (let i = 0; i < 3; i++) await one.sync();
  // Each of these polls asks at least once, and is told that nothing has changed.
  expect(await requestsOf()).toBeGreaterThanOrEqual(before + 3);
  expect(await readersOf(one)).toEqual([]);
});
