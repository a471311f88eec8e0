import { describe, expect, test } from 'vitest';
import { cleanup } from '../support/cleanup.js';
import { fakeServer } from '../support/fake-server.js';
import { FakePod, turtle } from '../support/pod/fake-pod.js';
import { rounds } from '../support/torture.js';
import {
  answeredSince,
  converge,
  type NetworkNode,
  type NodeSettings,
  networkNodes,
  snapshot,
} from './adapters/network-node.js';

/** Rounds in which every node polls all that it knows, after the last change. */
const IDLE = rounds({ short: 10, full: 200 });

const uri = (name: string) => `https://c.example/${name}.js`;

async function fakePod(...names: string[]): Promise<{ pod: FakePod; url: string }> {
  const server = await fakeServer();
  cleanup(() => server.close());
  const pod = new FakePod(server);
  for (const name of names) pod.put(`/pod/${name}.ttl`, turtle(name));
  return { pod, url: server.url('/pod/') };
}

/** Starts nodes, each with the peers (by place) and the settings that it is given. */
async function startNetwork<
  const Plan extends readonly { peers: readonly number[]; settings?: NodeSettings }[],
>(plan: Plan): Promise<{ [Place in keyof Plan]: NetworkNode }> {
  const nodes = await networkNodes(plan.length);
  for (const [i, { peers, settings }] of plan.entries()) {
    await nodes[i]?.start({ peers: peers.map((peer) => nodes[peer]?.url), ...settings });
  }
  return nodes as { [Place in keyof Plan]: NetworkNode };
}

describe('a line of four nodes with a pod at its end', () => {
  test('converges; a deletion at one end reaches the other and stays gone, also when an offline node returns', async () => {
    const { pod, url } = await fakePod('one', 'two');
    const nodes = await startNetwork([
      { peers: [1] },
      { peers: [2] },
      { peers: [3] },
      { peers: [], settings: { pods: [url] } },
    ]);
    const [a, b, c, d] = nodes;
    await d.publish({ uri: uri('of-d') });
    await converge(nodes);
    for (const node of nodes) expect(await node.uris()).toEqual([uri('of-d'), uri('one'), uri('two')]);
    expect(await a.peers()).toEqual([b.url, ...[c.url, d.url]]);
    expect(await a.storage()).toEqual([url]);
    expect(await a.source(d.url)).toMatchObject({
      hops: 2,
      via: [b.url, c.url],
      configured: false,
      state: 'ok',
    });
    expect(await a.source(url)).toMatchObject({ hops: 3, via: [b.url, c.url, d.url], components: 2 });

    await c.stop();
    pod.delete('/pod/one.ttl');
    await d.unpublish(uri('of-d'));
    await converge([d, b, a]);
    expect(await a.uris()).toEqual([uri('two')]);
    await c.start({ peers: [d.url] });
    expect(await c.uris()).toContain(uri('two'));
    await converge([b, a, c, d]);
    for (const node of nodes) expect(await node.uris()).toEqual([uri('two')]);
  });

  test('relays a pod that others cannot reach by one hop, and its deletions too', async () => {
    const { pod, url } = await fakePod('one', 'two');
    const unreachable = { discovery: { deny: ['127.0.0.1:*'] } };
    const [a, b, c] = await startNetwork([
      { peers: [1], settings: { discovery: { depth: 0 } } },
      { peers: [2], settings: { pods: [url] } },
      { peers: [1], settings: unreachable },
    ]);
    await converge([c, b, a]);
    expect(await a.uris()).toEqual([uri('one'), uri('two')]);
    expect((await a.sources()).map(({ kind }) => kind)).toEqual(['peer']);
    pod.delete('/pod/one.ttl');
    await converge([a, b, c]);
    expect(await a.uris()).toEqual([uri('two')]);
  });

  test('relays a pod from the first of the three peers that read it, and from the next when that one stops', async () => {
    const { pod, url } = await fakePod('one', 'two');
    const reader = { peers: [], settings: { pods: [url] } };
    const [a, b, c, d] = await startNetwork([
      { peers: [1, 2, 3], settings: { discovery: { depth: 0 } } },
      reader,
      reader,
      reader,
    ]);
    const taken = async () => (await a.sources()).map(({ components }) => components);
    await converge([b, c, d, a]);
    expect(await taken()).toEqual([2, 0, 0]);
    expect(await a.uris()).toEqual([uri('one'), uri('two')]);

    await b.stop();
    await b.start({ pods: [] });
    await converge([c, d, a]);
    expect(await taken()).toEqual([0, 2, 0]);
    pod.delete('/pod/one.ttl');
    await converge([c, d, a]);
    expect(await a.uris()).toEqual([uri('two')]);
  });
});

describe('a network with loops', () => {
  test.each([
    ['a ring', [[1], [2], [3], [0]]],
    [
      'a full mesh',
      [
        [1, 2, 3],
        [0, 2, 3],
        [0, 1, 3],
        [0, 1, 2],
      ],
    ],
  ])(
    '%s neither loops nor grows, and then is quiet: further rounds bring only 304s',
    async (_, [p, q, r, s]) => {
      const { pod, url } = await fakePod('in-pod');
      const nodes = await startNetwork([
        { peers: p ?? [], settings: { pods: [url] } },
        { peers: q ?? [] },
        { peers: r ?? [] },
        { peers: s ?? [] },
      ]);
      for (const [i, node] of nodes.entries()) await node.publish({ uri: uri(`of-${i}`) });
      await converge(nodes);
      const all = ['in-pod', 'of-0', 'of-1', 'of-2', 'of-3'].map(uri);
      for (const node of nodes) {
        expect(await node.uris()).toEqual(all);
        expect(new Set(await node.peers())).toEqual(
          new Set(nodes.map((other) => other.url).filter((other) => other !== node.url)),
        );
      }

      const before = await snapshot(nodes);
      const counts = await Promise.all(nodes.map((node) => node.answered()));
      pod.seen();
      for (let round = 0; round < IDLE; round++) for (const node of nodes) await node.sync();
      const polls = IDLE * 3;
      for (const answered of await answeredSince(nodes, counts)) {
        expect(answered).toEqual(
          new Map([
            ['/feed 304', polls],
            ['/metrics 200', 1],
          ]),
        );
      }
      expect(pod.seen()).toEqual(Array.from({ length: IDLE * nodes.length }, () => '/pod/ 200'));
      expect(await snapshot(nodes)).toBe(before);

      await nodes[2].unpublish(uri('of-2'));
      pod.delete('/pod/in-pod.ttl');
      await converge(nodes);
      for (const node of nodes) expect(await node.uris()).toEqual(['of-0', 'of-1', 'of-3'].map(uri));
    },
  );

  test('forgets a pod that its sponsor drops, everywhere, with all that it brought', async () => {
    const { url } = await fakePod('in-pod');
    const nodes = await startNetwork([
      { peers: [1], settings: { pods: [url] } },
      { peers: [2] },
      { peers: [0] },
    ]);
    await converge(nodes);
    for (const node of nodes) expect(await node.storage()).toEqual([url]);
    const [a, b, c] = nodes;
    await a.stop();
    await a.start({ peers: [b.url] });
    expect(await a.uris()).toEqual([]);
    for (let round = 0; round < 3; round++) for (const node of [c, b, a]) await node.sync();
    for (const node of nodes) {
      expect(await node.storage()).toEqual([]);
      expect(await node.uris()).toEqual([]);
      expect((await node.sources()).filter(({ kind }) => kind === 'pod')).toEqual([]);
    }
  });
});

describe('what an operator sees of the network', () => {
  test('on the page, in the status and in the metrics: who is known, from whom, and how it goes', async () => {
    const { pod, url } = await fakePod('one');
    const [a, b, c] = await startNetwork([
      { peers: [1] },
      { peers: [2] },
      { peers: [], settings: { pods: [url] } },
    ]);
    await converge([c, b, a]);
    pod.server.everything({ status: 500 });
    await a.sync();

    const page = (await a.text('/network', 'text/html')).replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
    expect(page).toContain(`peer ${b.url} why? ok Poll it now 0 components known by configuration`);
    expect(page).toContain(`peer ${c.url} why? ok Poll it now 0 components known by 1 hop via ${b.url}`);
    expect(page).toContain(`pod ${url} why? failing since`);
    expect(page).toMatch(new RegExp(`1 component .*known by 2 hops via ${b.url}, ${c.url}`));
    expect(page).toContain('answers 500');

    expect(await a.source(url)).toMatchObject({
      configured: false,
      hops: 2,
      via: [b.url, c.url],
      state: 'failing',
      components: 1,
    });

    const metrics = await a.text('/metrics', '*/*');
    const figure = (name: string, labels: string) =>
      metrics.match(new RegExp(`^${name}{${labels}} (.*)$`, 'm'))?.[1];
    expect(figure('registry_source_hops', `kind="pod",url="${url}"`)).toBe('2');
    expect(figure('registry_source_hops', `kind="peer",url="${b.url}"`)).toBe('0');
    expect(figure('registry_source_consecutive_failures', `kind="pod",url="${url}"`)).toBe('1');
    expect(
      Number(figure('registry_source_next_attempt_timestamp_seconds', `kind="pod",url="${url}"`)),
    ).toBeGreaterThan(Date.now() / 1000);
    expect(figure('registry_poll_duration_seconds_count', 'kind="pod",result="failed"')).toBe('1');
    expect(figure('registry_poll_changes_total', 'kind="pod",change="added"')).toBe('1');
  });
});
