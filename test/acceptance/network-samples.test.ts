import { expect, test } from 'vitest';
import { OPERATOR_TOKEN } from '../support/node/node-reader.js';
import { converge, type NetworkNode, networkNodes } from './adapters/network-node.js';

const OWN = 'https://c.example/own.js';

async function showSamples({ url }: NetworkNode, wanted: 'show' | 'remove'): Promise<void> {
  const answer = await fetch(`${url}/demo`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${OPERATOR_TOKEN}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: `samples=${wanted}`,
    redirect: 'manual',
  });
  expect(answer.status).toBe(303);
}

test('samples stay on their node: peers take what was posted beside them, and its address lists name no sample', async () => {
  const nodes = await networkNodes(2);
  const [shown, peer] = nodes as [NetworkNode, NetworkNode];
  await shown.start();
  await shown.publish({ uri: OWN });
  await showSamples(shown, 'show');
  await peer.start({ peers: [shown.url] });
  await converge(nodes);
  expect(await shown.uris()).toHaveLength(4);
  expect(await peer.uris()).toEqual([OWN]);
  expect([await peer.storage(), await peer.source(shown.url)]).toMatchObject([
    [],
    { state: 'ok', components: 1 },
  ]);
  expect((await shown.sources()).map(({ kind, url, state }) => [kind, url, state])).toEqual([
    ['local', 'urn:registry:local', 'ok'],
    ['sample', 'urn:registry:samples', 'ok'],
  ]);

  // A restart forgets sources that nobody configured; the samples are none of those.
  await shown.stop();
  await shown.start();
  expect(await shown.uris()).toHaveLength(4);
  await showSamples(shown, 'remove');
  expect(await shown.uris()).toEqual([OWN]);
});
