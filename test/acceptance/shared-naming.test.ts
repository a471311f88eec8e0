import { expect, test } from 'vitest';
import { heldPort } from '../support/held-port.js';
import { expectSoon } from '../support/wait-for.js';
import { type ClusterData, clusterData, startInCluster } from './adapters/in-process-node.js';

const URI = 'https://cdn.example/a.js';
const POSTED = { uri: URI, label: 'A', shapes: ['http://s.example/#A'] };

/** A node of a cluster with a configuration of its own; what it is reached under. */
async function clusterNode(data: ClusterData, config: object): Promise<string> {
  const port = await heldPort();
  await startInCluster(data, { listen: { port }, write: 'open', ...config });
  return `http://127.0.0.1:${port}`;
}

const post = (node: string, component: object) =>
  fetch(`${node}/component`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(component),
  });

async function got(node: string, path: string, accept: string) {
  const response = await fetch(`${node}${path}`, { headers: { accept } });
  return { status: response.status, etag: response.headers.get('etag'), body: await response.text() };
}

test('a node shows everything as the one that was started last, in every representation', async () => {
  const data = clusterData();
  const former = await clusterNode(data, { baseUrl: 'http://one.example' });
  expect((await post(former, POSTED)).headers.get('location')).toContain('http://one.example/c/');
  const before = await got(former, '/component', 'text/turtle');
  expect(before.body).toContain(`<http://one.example/c/${URI}>`);

  const latter = await clusterNode(data, { baseUrl: 'http://two.example' });
  await expectSoon(async () => {
    const { body } = await got(former, '/component', 'application/json');
    expect(body).toContain(`"@id":"http://two.example/c/${URI}"`);
  });
  for (const accept of ['application/json', 'application/ld+json', 'text/turtle', 'application/n-quads'])
    for (const path of ['/component', `/c/${URI}`, '/component?limit=1']) {
      const [one, other] = [await got(former, path, accept), await got(latter, path, accept)];
      expect(one).toEqual(other);
      expect(one.body).toContain(`http://two.example/c/${URI}`);
      expect(one.etag).not.toBe(before.etag);
    }
  expect(await got(former, '/feed', 'text/turtle')).toEqual(await got(latter, '/feed', 'text/turtle'));
  const posted = await post(former, { ...POSTED, label: 'B' });
  expect(posted.headers.get('location')).toBe(`http://two.example/c/${encodeURIComponent(URI)}`);
});

test('a node orders sources as the one that was started last', async () => {
  const data = clusterData();
  const pods = ['http://127.0.0.1:9/one/', 'http://127.0.0.1:9/two/'];
  const order = async (node: string) => {
    const { sources } = JSON.parse((await got(node, '/status', 'application/json')).body);
    return sources
      .filter(({ kind }: { kind: string }) => kind === 'pod')
      .map(({ url }: { url: string }) => url);
  };
  const former = await clusterNode(data, { baseUrl: 'http://one.example', pods });
  await expectSoon(async () => expect(await order(former)).toEqual(pods));
  const latter = await clusterNode(data, { baseUrl: 'http://one.example', pods: pods.toReversed() });
  for (const node of [former, latter])
    await expectSoon(async () => expect(await order(node)).toEqual(pods.toReversed()));
});
