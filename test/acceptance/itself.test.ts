import { expect, test } from 'vitest';
import { cleanup } from '../support/cleanup.js';
import { fakeServer } from '../support/fake-server.js';
import { type NetworkNode, networkNodes } from './adapters/network-node.js';

const POSTED = 'https://c.example/posted.js';
const STRANGER = 'http://stranger.example/pod/';

/**
 * The node under another name: what is asked there comes from the node itself.
 * @param silent paths that this name does not answer
 */
async function otherName(node: NetworkNode, silent: readonly string[] = []): Promise<string> {
  const server = await fakeServer();
  cleanup(() => server.close());
  server.everything(async ({ url, headers }) => {
    if (silent.some((path) => url.startsWith(path))) return { status: 404 };
    const { accept = '*/*', 'if-none-match': known } = headers;
    const asked = { accept, ...(known === undefined ? {} : { 'if-none-match': known }) };
    const answer = await fetch(node.url + url, { headers: asked });
    return {
      status: answer.status,
      headers: Object.fromEntries(
        [...answer.headers].filter(([name]) => /^(content-type|etag|feed-|link)/.test(name)),
      ),
      body: new Uint8Array(await answer.arrayBuffer()),
    };
  });
  return server.origin;
}

test.each([
  ['a peer', []],
  ['a peer whose lists cannot be had', ['/peers', '/storage']],
  ['a peer of which only the listing can be had', ['/peers', '/storage', '/feed']],
])('what a node says does not come back to it from its other name, as %s', async (_, silent) => {
  const [node] = (await networkNodes(1)) as [NetworkNode];
  const name = await otherName(node, silent);
  await node.start({ peers: [name] });
  await node.publish({ uri: POSTED });
  await node.sync();
  const source = await node.source(name);
  expect(source).toMatchObject({ components: 0, state: 'failing' });
  expect(source.error).toMatch(/this is the node itself/);
  await node.unpublish(POSTED);
  expect(await node.uris()).toEqual([]);
});

test('what its other name has told is forgotten, and nothing is learned from it', async () => {
  const [node, friend] = (await networkNodes(2)) as [NetworkNode, NetworkNode];
  const name = await otherName(node);
  await friend.start({ pods: [STRANGER], network: { allowPrivate: true } });
  await node.start({ peers: [name, friend.url] });
  await node.sync();
  await node.sync();
  expect(await node.storage()).toEqual([STRANGER]);
  await friend.stop();
  await friend.start({ pods: [] });
  await node.sync();
  await node.sync();
  expect(await node.storage()).toEqual([]);
});
