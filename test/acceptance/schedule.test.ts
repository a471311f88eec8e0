import { expect, test } from 'vitest';
import { heldPort } from '../support/held-port.js';
import { startNode } from '../support/node/node-process.js';
import { listedUris, statusOf } from '../support/node/node-reader.js';
import { waitFor } from '../support/wait-for.js';

test('a peer that was killed is failing at once, and read as soon as it is back, whatever the schedule says', async () => {
  const config = { listen: { port: await heldPort() }, write: 'open' };
  const peer = await startNode({ config });
  // Polls are hours away.
  const node = await startNode({ config: { peers: [peer.url], sync: { schedule: '0 0 1 1 *' } } });
  const state = async () => (await statusOf(node, peer.url)).state;
  const streams = async () => {
    const metrics = await (await fetch(`${node.url}/metrics`)).text();
    return Number(/^registry_hint_lines (\d+)/m.exec(metrics)?.[1]);
  };
  await waitFor(async () => (await state()) === 'ok' && (await streams()) === 1);
  await peer.kill();
  await waitFor(async () => (await state()) === 'failing');
  await peer.restart();
  const uri = 'https://c.example/news.js';
  await fetch(`${peer.url}/component`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ uri, label: 'News' }),
  });
  await waitFor(async () => (await listedUris(node)).includes(uri));
  expect(await state()).toBe('ok');
});
