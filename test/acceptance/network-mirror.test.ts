import { beforeAll, describe, expect, test } from 'vitest';
import { cleanup } from '../support/cleanup.js';
import { fakeServer } from '../support/fake-server.js';
import { FakePod, turtle } from '../support/pod/fake-pod.js';
import { converge, type NetworkNode, networkNodes } from './adapters/network-node.js';

const uri = (name: string) => `https://c.example/${name}.js`;

/** Everything that a reader may ask for. */
const READINGS: readonly [path: string, accept: string][] = [
  ...[
    'application/json',
    'application/ld+json',
    'text/turtle',
    'application/n-triples',
    'application/n-quads',
    'application/trig',
  ].map((type): [string, string] => ['/component', type]),
  ['/component?limit=2', 'application/json'],
  ['/component?tag=shared', 'text/turtle'],
  ['/component?graphs=all', 'application/n-quads'],
  ['/component?graphs=all', 'application/trig'],
  [`/c/${uri('conflict')}`, 'application/n-quads'],
  [`/c/${uri('conflict')}?graphs=all`, 'application/n-quads'],
  [`/why?uri=${encodeURIComponent(uri('conflict'))}`, 'application/json'],
  ['/component?trust=learned', 'application/json'],
  ['/peers', 'application/json'],
  ['/peers', 'text/turtle'],
  ['/storage', 'application/json'],
  ['/storage', 'text/turtle'],
];

const readings = (node: NetworkNode) =>
  Promise.all(
    READINGS.map(async ([path, accept]) =>
      comparable((await node.text(path, accept)).replaceAll(node.url, 'http://node')),
    ),
  );

/** When it was first seen differs, and what is the upstream's own counts as configured. */
function comparable(text: string): string {
  return (
    text
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'then')
      .replace(/"(lastSeen|nextPoll)":"then",/g, '')
      // A mirror reads its upstream, and no source of it.
      .replace(/"sourceFirstRead":"then",/g, '')
      // A mirror found out from its upstream what is gone.
      .replace(/"removed":\[.*?\],"(?=statements|unread)/g, '"')
      .replace(/"unread":\[.*?\],"(?=statements|elsewhere|served)/g, '"')
      .replace(/("trust":|"@value":|[#:]sourceTrust>? )"own"/g, '$1"configured"')
  );
}

async function podServer(label: string): Promise<{ pod: FakePod; url: string }> {
  const server = await fakeServer();
  cleanup(() => server.close());
  const pod = new FakePod(server);
  pod.put('/pod/own.ttl', turtle(`own-${label}`));
  pod.put('/pod/conflict.ttl', turtle('conflict').replace('"conflict"', `"${label}"`));
  return { pod, url: server.url('/pod/') };
}

describe('a mirror', () => {
  let upstream: NetworkNode;
  let other: NetworkNode;
  let mirror: NetworkNode;
  let pods: { pod: FakePod; url: string }[];
  let settings: { peers: string[]; pods: string[] };

  beforeAll(async () => {
    [upstream, other, mirror] = (await networkNodes(3)) as [NetworkNode, NetworkNode, NetworkNode];
    // In an order that the URLs do not have by themselves, whichever ports the system gave out.
    pods = [await podServer('one'), await podServer('two'), await podServer('three')].sort((a, b) =>
      a.url < b.url ? 1 : -1,
    );
    const [first, second, learned] = pods.map(({ url }) => url) as [string, string, string];
    await other.start({ pods: [learned] });
    await other.publish({ uri: uri('of-other'), tag: ['shared'] }, { uri: uri('conflict'), label: 'other' });
    settings = { peers: [other.url], pods: [first, second] };
    await upstream.start(settings);
    await upstream.publish(
      { uri: uri('conflict'), label: 'upstream' },
      { uri: uri('of-upstream'), author: ['"é"'] },
    );
    await mirror.start({ mode: 'mirror', peers: [upstream.url] });
    await converge([other, upstream, mirror]);
  });

  test('answers byte for byte like its upstream, who says what and why included, but for its own base URL', async () => {
    expect(await readings(mirror)).toEqual(await readings(upstream));
    const conflict = await mirror.text(`/c/${uri('conflict')}?graphs=all`, 'application/n-quads');
    expect(new Set(conflict.match(/#label> "[^"]*"/g))).toHaveLength(5);
  });

  test('follows what changes there: components, their sources, and who wins', async () => {
    pods[0]?.pod.delete('/pod/own.ttl');
    await upstream.unpublish(uri('of-upstream'));
    await converge([upstream, mirror]);
    expect(await readings(mirror)).toEqual(await readings(upstream));

    await upstream.stop();
    await upstream.start({ ...settings, pods: settings.pods.toReversed() });
    const winner = async (node: NetworkNode) =>
      (await node.json<{ label: string }>(`/c/${uri('conflict')}`)).label;
    const before = await winner(mirror);
    await converge([upstream, mirror]);
    expect(await winner(mirror)).not.toBe(before);
    expect(await readings(mirror)).toEqual(await readings(upstream));
  });

  test('takes no writes, and says which methods there are', async () => {
    const response = await fetch(`${mirror.url}/component`, { method: 'POST', body: '[]' });
    expect([response.status, response.headers.get('allow')]).toEqual([
      405,
      expect.not.stringContaining('POST'),
    ]);
  });

  test('polls its upstreams and nobody else', async () => {
    expect((await mirror.sources()).map(({ kind, url }) => [kind, url])).toEqual([['peer', upstream.url]]);
  });

  test('serves while its upstream is down, also after a restart, and follows again when it is back', async () => {
    const before = await readings(mirror);
    await upstream.stop();
    await mirror.sync();
    expect(await readings(mirror)).toEqual(before);
    expect(await mirror.source(upstream.url)).toMatchObject({ state: 'failing' });
    await mirror.stop();
    await mirror.start({ mode: 'mirror', peers: [upstream.url] });
    expect(await readings(mirror)).toEqual(before);
    await upstream.start(settings);
    await upstream.publish({ uri: uri('new') });
    await mirror.sync();
    expect(await mirror.uris()).toContain(uri('new'));
  });

  test("of several upstreams serves the union, and of one component the first one's word", async () => {
    const [both] = (await networkNodes(1)) as [NetworkNode];
    await both.start({ mode: 'mirror', peers: [other.url, upstream.url] });
    await both.sync();
    const union = new Set([...(await other.uris()), ...(await upstream.uris())]);
    expect(await both.uris()).toEqual([...union].sort());
    expect(await both.json(`/c/${uri('conflict')}`)).toMatchObject({
      label: (await other.json<{ label: string }>(`/c/${uri('conflict')}`)).label,
    });
    expect(await both.storage()).toEqual([
      ...new Set([...(await other.storage()), ...(await upstream.storage())]),
    ]);
  });
});
