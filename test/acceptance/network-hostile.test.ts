import { describe, expect, test } from 'vitest';
import { cleanup } from '../support/cleanup.js';
import { type FakeAnswer, fakeServer, gzipBomb, redirect } from '../support/fake-server.js';
import { type FakePeer, fakePeer, simple } from '../support/peer/fake-peer.js';
import { FakePod, turtle } from '../support/pod/fake-pod.js';
import { rounds } from '../support/torture.js';
import { type NetworkNode, type NodeSettings, networkNodes } from './adapters/network-node.js';

const HUGE = 200_000;
const SYNC = { timeoutSeconds: 1, maxBytes: HUGE };

/** A node with one peer and one pod, all well. */
async function goodNetwork(settings: NodeSettings = {}) {
  const peer = await fakePeer();
  peer.says(simple('of-peer'));
  peer.storage = ['http://127.0.0.1:9/learned/'];
  const server = await fakeServer();
  cleanup(() => server.close());
  const pod = new FakePod(server);
  pod.put('/pod/x.ttl', turtle('of-pod'));
  const [node] = (await networkNodes(1)) as [NetworkNode];
  const podUrl = server.url('/pod/');
  await node.start({ peers: [peer.url], pods: [podUrl], sync: SYNC, ...settings });
  await node.sync();
  return { node, peer, pod, podUrl };
}

const html = { headers: { 'content-type': 'text/html' }, body: '<h1>Log in</h1>' };

const MISDEEDS: readonly [name: string, misdeed: FakeAnswer, error: RegExp][] = [
  ['a server error', { status: 500 }, /answers 500/],
  ['a refusal', { status: 403 }, /answers 403/],
  ['nothing there', { status: 404 }, /answers 404/],
  ['an answer that does not come', { hang: 'answer' }, /did not answer|time|1 s|1000 ms/],
  [
    'a body that stops',
    { hang: 'body', headers: { 'content-type': 'text/turtle' }, body: turtle('x') },
    /time|1 s|1000 ms/,
  ],
  [
    'a body cut short',
    { truncate: 'length', headers: { 'content-type': 'text/turtle' }, body: turtle('x') },
    /broke off/,
  ],
  [
    'chunks without an end',
    { truncate: 'chunks', headers: { 'content-type': 'text/turtle' }, body: turtle('x') },
    /broke off/,
  ],
  ['a dropped connection', { drop: true }, /no answer/],
  ['a login page', html, /text\/html|not JSON/],
  [
    'broken Turtle',
    { headers: { 'content-type': 'text/turtle' }, body: '<https://c.example/x.js> a ' },
    /line 1|not JSON/,
  ],
  ['broken JSON', { headers: { 'content-type': 'application/ld+json' }, body: '[{"uri":' }, /JSON/],
  [
    'an endless body',
    { endless: true, headers: { 'content-type': 'text/turtle' }, body: `${turtle('x')}\n` },
    /larger than|time/,
  ],
  [
    'a decompression bomb',
    { ...gzipBomb(10 * HUGE), headers: { 'content-type': 'text/turtle', 'content-encoding': 'gzip' } },
    /larger than/,
  ],
  ['redirects in a circle', redirect('?again'), /too many redirects/],
  ['a redirect to loopback', redirect('http://127.0.0.1:9/'), /not on the public internet|learned/],
  ['a wish to be left alone', { status: 429, headers: { 'retry-after': '3600' } }, /429/],
];

describe.each(['peer', 'pod'] as const)('a %s that answers with', (kind) => {
  test.each(MISDEEDS)(
    '%s: nothing is lost, and the status says what happened and when it is tried again',
    async (_, misdeed, error) => {
      const { node, peer, pod, podUrl } = await goodNetwork({ network: { allowPrivate: false } });
      const url = kind === 'peer' ? peer.url : podUrl;
      const { server } = kind === 'peer' ? peer : pod;
      const before = [await node.revision(), await node.uris(), await node.peers(), await node.storage()];
      expect(before[1]).toEqual(['https://c.example/of-peer.js', 'https://c.example/of-pod.js']);

      server.everything(misdeed);
      const reports = await node.sync();
      expect(reports.find((report) => report.url === url)).toMatchObject({ ok: false });
      expect([await node.revision(), await node.uris(), await node.peers(), await node.storage()]).toEqual(
        before,
      );
      const status = await node.source(url);
      expect(status).toMatchObject({ state: 'failing', error: expect.stringMatching(error), components: 1 });
      expect(Date.parse(status.nextAttempt ?? '')).toBeGreaterThan(Date.now());
      expect(await node.json('/health')).toEqual({ status: 'serving' });
    },
  );
});

describe('a peer that lies', () => {
  const listed = async (node: NetworkNode) => [await node.peers(), await node.storage()];

  test.each<[string, (peer: FakePeer, node: NetworkNode) => void]>([
    [
      'addresses that are none',
      (peer) => {
        peer.peers = [
          'javascript:alert(1)',
          'ftp://x.example',
          'http://',
          'x',
          '',
          'http://user:pw@x.example',
          'http://x.example/#a',
          ' http://y.example',
        ];
      },
    ],
    [
      'endless addresses',
      (peer) => {
        peer.peers = [`http://x.example/${'x'.repeat(5_000)}`];
      },
    ],
    [
      'the node itself',
      (peer, { url }) => {
        peer.peers = [url, `${url}/`, url.toUpperCase().replace('HTTP', 'http')];
      },
    ],
    [
      'itself',
      (peer) => {
        peer.peers = [peer.url, `${peer.url}/`];
      },
    ],
    [
      'private addresses',
      (peer) => {
        peer.storage = peer.peers = [
          'http://10.0.0.1',
          'http://192.168.1.1/x/',
          'http://[::1]/',
          'http://localhost./',
        ];
      },
    ],
    [
      'something else than a list',
      (peer) => {
        peer.faults.set('/peers', { body: { peers: ['http://x.example'] } });
      },
    ],
    [
      'something else than addresses',
      (peer) => {
        peer.faults.set('/peers', { body: ['http://x.example', 7] });
      },
    ],
  ])('listing %s changes nothing', async (_, lie) => {
    const { node, peer } = await goodNetwork({ network: { allowPrivate: false } });
    const before = await listed(node);
    lie(peer, node);
    await node.sync();
    expect(await listed(node)).toEqual(before);
  });

  test('listing thousands is bounded, however often it lists others', async () => {
    const { node, peer } = await goodNetwork({ discovery: { maxPeers: 5, maxPods: 5 } });
    for (let turn = 0; turn < rounds({ short: 3, full: 20 }); turn++) {
      peer.peers = Array.from({ length: 2000 }, (_, i) => `http://127.0.0.1:9/${turn}/${i}`);
      peer.storage = peer.peers;
      await node.sync(peer.url);
      expect((await node.peers()).length).toBe(1 + 5);
      expect((await node.storage()).length).toBe(1 + 5);
      expect(await node.sources()).toHaveLength(2 + 10);
    }
    expect(await node.uris()).toContain('https://c.example/of-pod.js');
  });

  test('cannot overwrite what a pod says, nor bring scripts', async () => {
    const { node, peer } = await goodNetwork();
    peer.says(
      { ...simple('of-pod'), label: 'poisoned' },
      { ...simple('x'), uri: 'javascript:alert(1)' },
      simple('harmless'),
    );
    await node.sync();
    const components = await node.json<{ uri: string; label: string }[]>('/component');
    expect(components.map(({ label }) => label)).toEqual(['harmless', 'of-pod']);
    const { invalid } = await node.source(peer.url);
    expect(invalid.map(({ subject }) => subject)).toEqual(['javascript:alert(1)']);
  });

  test('saying something else each time takes nothing from the others', async () => {
    const { node, peer } = await goodNetwork();
    for (let turn = 0; turn < rounds({ short: 5, full: 50 }); turn++) {
      peer.says(...Array.from({ length: turn * 3 }, (_, i) => simple(`turn-${turn}-${i}`)));
      peer.graphs.set(`https://pod${turn}.example/`, [simple(`relayed-${turn}`)]);
      await node.sync(peer.url);
      const uris = await node.uris();
      expect(uris).toContain('https://c.example/of-pod.js');
      expect(uris.filter((uri) => uri.includes('/turn-'))).toHaveLength(turn * 3);
    }
  });
});

describe('an address that a peer made known', () => {
  test('is never connected to when it is private, however it is written', async () => {
    const victim = await fakeServer();
    cleanup(() => victim.close());
    const { port } = victim;
    const peer = await fakePeer();
    const addresses: Record<string, readonly string[]> = {
      'inside.example': ['127.0.0.1'],
      'mapped.example': ['::ffff:127.0.0.1'],
      'both.example': ['93.184.216.34', '127.0.0.1'],
      localhost: ['127.0.0.1'],
      'localhost.': ['127.0.0.1'],
    };
    const lookup = async (name: string) =>
      (addresses[name] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    const [node] = (await networkNodes(1, { lookup })) as [NetworkNode];
    const hosts = [
      '127.0.0.1',
      '2130706433',
      '0x7f.0.0.1',
      '127.1',
      '0177.0.0.1',
      '0.0.0.0',
      '[::1]',
      '[::]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[64:ff9b::7f00:1]',
      ...Object.keys(addresses),
    ];
    peer.peers = hosts.map((host) => `http://${host}:${port}`);
    peer.storage = hosts.map((host) => `http://${host}:${port}/pod/`);
    await node.start({ peers: [peer.url], network: { allowPrivate: false }, sync: SYNC });
    await node.sync();
    await node.sync();
    expect(victim.accepted).toBe(0);
    const byName = ['both', 'inside', 'mapped'].map((name) => `http://${name}.example:${port}`);
    expect(await node.peers()).toEqual([peer.url, ...byName]);
    for (const url of byName) {
      expect(await node.source(url)).toMatchObject({
        state: 'failing',
        via: [peer.url],
        error: expect.stringContaining('not on the public internet'),
      });
    }
    for (const path of ['/peers', '/storage', '/component']) {
      for (const host of ['127.0.0.1', 'inside.example', '[::ffff:127.0.0.1]']) {
        peer.faults.set(path, redirect(`http://${host}:${port}${path}`));
        await node.sync(peer.url);
      }
      peer.faults.clear();
    }
    expect(victim.accepted).toBe(0);
  });
});
