import { beforeAll, describe, expect, it } from 'vitest';
import { fakeServer } from '../support/fake-server.js';
import { post, startCluster, startClusterNode } from '../support/node/cluster.js';
import type { NodeProcess } from '../support/node/node-process.js';
import { getJson, listedUris, textOf } from '../support/node/node-reader.js';
import { FakePod, turtle } from '../support/pod/fake-pod.js';
import { newDatabase } from '../support/shared-server.js';
import { waitFor } from '../support/wait-for.js';

async function entityTag(url: string): Promise<string | null> {
  const answer = await fetch(url);
  await answer.text();
  return answer.headers.get('etag');
}

const uri = (name: string) => `https://c.example/${name}.js`;

describe('nodes on one database', () => {
  let database: string;
  let nodes: NodeProcess[];

  beforeAll(async () => {
    database = await newDatabase();
    const server = await fakeServer();
    new FakePod(server).put('/a', turtle('a'));
    const config = {
      pods: [server.url('/')],
      sync: { schedule: '*/2 * * * * *' },
      connection: { enabled: true, path: '/connect' },
    };
    nodes = await startCluster(2, database, config);
  });

  const urisAt = ({ address }: NodeProcess) => listedUris({ url: address });
  const everywhere = (holds: (uris: string[]) => boolean) =>
    waitFor(async () => (await Promise.all(nodes.map(urisAt))).every(holds));

  it('are one registry: the same listing, entity tag and cursor at all of them', async () => {
    await everywhere((uris) => uris.includes(uri('a')));
    for (const [i, node] of nodes.entries()) {
      expect(await post(node.address, [uri(`posted-${i}`)])).toBe(201);
      // Where it was written it is seen at once.
      expect(await urisAt(node)).toContain(uri(`posted-${i}`));
    }
    await everywhere((uris) => uris.length === 3);
    const [uris, ...others] = await Promise.all(nodes.map(urisAt));
    expect(others).toEqual([uris]);
    const paths = [
      ...['/component', '/component?format=ttl', '/component?format=trig', '/component?limit=2', '/peers'],
      ...[`/c/${uri('a')}`, '/feed', '/feed/sources', '/feed?limit=1'],
    ];
    for (const path of paths) {
      const tags = await Promise.all(nodes.map(({ address }) => entityTag(address + path)));
      expect([path, tags]).toEqual([path, Array(2).fill(expect.stringMatching(/^(W\/)?".+"$/))]);
      expect([path, new Set(tags)]).toHaveProperty('1.size', 1);
      for (const { address } of nodes) {
        const again = await fetch(address + path, { headers: { 'if-none-match': tags[0] ?? '' } });
        expect([path, again.status]).toEqual([path, 304]);
      }
    }
    // Each of them knows the cursors of the others.
    const cursors = nodes.map(
      async ({ address }) => (await getJson<{ cursor: string }>(`${address}/feed`)).cursor,
    );
    const [cursor, ...same] = await Promise.all(cursors);
    expect(same).toEqual([cursor]);
    for (const { address } of nodes) await getJson(`${address}/feed?since=${cursor}`);
  });

  it('say which one they are, behind one address: in /status, on the page and in the log', async () => {
    for (const { address, log } of nodes) {
      const name = new URL(address).host;
      expect(await getJson(`${address}/status`)).toMatchObject({ node: name });
      expect(await textOf({ url: address }, '/network', 'text/html')).toContain(`<code>${name}</code>`);
      expect(new Set(log.filter(({ audit }) => audit).map(({ node }) => node))).toEqual(new Set([name]));
    }
  });

  it('lose nothing that was acknowledged when one is killed in the middle of commits, twice', async () => {
    const [steady, victim] = nodes as [NodeProcess, NodeProcess];
    const acknowledged: string[] = [];
    const refused: (number | undefined)[] = [];
    let writing = true;
    const write = async ({ address }: NodeProcess, writer: number) => {
      for (let n = 0; writing; n++) {
        const uris = Array.from({ length: 5 }, (_, i) => uri(`crash-${writer}-${n}-${i}`));
        const status = await post(address, uris);
        if (status === 201) acknowledged.push(...uris);
        else if (status === undefined) return;
        else refused.push(status);
      }
    };
    const more = (before = acknowledged.length) => waitFor(() => acknowledged.length > before + 50);
    const writers = [write(steady, 0), write(victim, 1)];
    await more();
    await victim.kill();
    await victim.start();
    writers.push(write(victim, 2));
    await more();
    await victim.kill();
    await more();
    writing = false;
    await Promise.all(writers);
    expect(refused).toEqual([]);
    await victim.start();
    const there = new Set(await urisAt(victim));
    expect(acknowledged.filter((one) => !there.has(one))).toEqual([]);
    // Batches are whole: all five or none.
    const batches = new Map<string, number>();
    for (const one of there) {
      const batch = /crash-\d+-\d+/.exec(one)?.[0];
      if (batch) batches.set(batch, (batches.get(batch) ?? 0) + 1);
    }
    expect([...batches.values()].every((count) => count === 5)).toBe(true);
  });

  it('show the baseUrl of the node that was started last', async () => {
    const [former] = nodes as [NodeProcess];
    const latter = await startClusterNode(database, { baseUrl: 'http://other.example' });
    const subjects = async ({ address }: NodeProcess) =>
      (await getJson<{ '@id': string }[]>(`${address}/component`)).map((one) => one['@id']);
    for (const node of [former, latter])
      await waitFor(async () => (await subjects(node)).includes(`http://other.example/c/${uri('posted-0')}`));
    expect(JSON.stringify(former.log)).toContain('a node with another configuration was started');
  });
});
