import { setTimeout as instant } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { cleanup } from '../support/cleanup.js';
import { post, startCluster, startClusterNode } from '../support/node/cluster.js';
import type { NodeProcess } from '../support/node/node-process.js';
import { askAsOperator, getJson, listedUris } from '../support/node/node-reader.js';
import { type PostgresServer, primaryWithStandby } from '../support/postgres-server.js';
import { waitFor } from '../support/wait-for.js';

/** When a client that is told to try again later does, in ms. */
const RETRY_AFTER = 50;

describe('when the database fails', () => {
  let [primary, standby]: readonly PostgresServer[] = [];
  let url: string;
  let nodes: readonly NodeProcess[];
  const acknowledged: string[] = [];
  const hasAll = async (url: string) => {
    const there = new Set(await listedUris({ url }));
    return acknowledged.every((uri) => there.has(uri));
  };

  beforeAll(async () => {
    ({ primary, standby, url } = await primaryWithStandby());
    url = url.replace('registry@', 'registry:hunter2@');
    nodes = await startCluster(2, url);
  });

  it('nodes find a standby that is promoted, and nothing that was acknowledged is lost', async () => {
    const answers = { writes: new Set<number | undefined>(), reads: new Set<number>() };
    let running = true;
    const write = async ({ address: node }: NodeProcess, writer: number) => {
      for (let n = 0; running; n++) {
        const uris = [`https://c.example/${writer}-${n}-a.js`, `https://c.example/${writer}-${n}-b.js`];
        const status = await post(node, uris);
        answers.writes.add(status);
        if (status === 201) acknowledged.push(...uris);
        else await instant(RETRY_AFTER);
      }
    };
    const read = async ({ address: node }: NodeProcess) => {
      while (running) {
        const answer = await fetch(`${node}/component?limit=5&tag=written`);
        await answer.text();
        answers.reads.add(answer.status);
      }
    };
    const load = nodes.flatMap((node, i) => [write(node, i), read(node)]);
    await waitFor(() => acknowledged.length > 40);

    await getJson(`${nodes[0]?.address}/status`);
    await primary?.kill();
    await tellsThatTheDatabaseIsAway(nodes[0]?.address ?? '');
    await standby?.promote();
    const before = acknowledged.length;
    await waitFor(() => acknowledged.length > before + 40, { describe: 'writes on the new primary' });
    running = false;
    await Promise.all(load);

    // Reads never need the database; of writes, an honest "try again in a moment".
    expect([...answers.reads]).toEqual([200]);
    expect([...answers.writes].filter((status) => status !== 201 && status !== 503)).toEqual([]);
    for (const { address } of nodes) await waitFor(() => hasAll(address));
    for (const node of nodes) {
      const paths = ['/status', '/health', '/metrics'];
      const told = await Promise.all(paths.map((path) => askAsOperator({ url: node.address }, path)));
      // The log says that the database was away, and no word of all this has the password in it.
      const log = [...node.log.map((line) => JSON.stringify(line)), node.stderr];
      expect(log.join('\n')).toMatch(/the database cannot be used[\s\S]*the database answers again/);
      expect([...log, ...told].join('\n')).not.toContain('hunter2');
    }
  });

  it('a node can be stopped while it says nothing: what waits is answered, nothing is lost', async () => {
    const [node] = nodes as [NodeProcess];
    const goOn = await standby?.pause();
    cleanup(() => goOn?.());
    const waiting = post(node.address, ['https://c.example/meanwhile.js']);
    await instant(500);
    // It exits with 1 when it takes more than 5 s.
    await node.stop();
    expect(await waiting).toBe(503);
    goOn?.();
    const again = await startClusterNode(url);
    expect(await hasAll(again.address)).toBe(true);
  });
});

/** What balancers and operators are told of a node that serves what it has in memory. */
async function tellsThatTheDatabaseIsAway(node: string): Promise<void> {
  const health = async (need: string) => {
    const answer = await fetch(`${node}/health${need}`);
    return [answer.status, (await answer.json()) as { storage?: string }] as const;
  };
  const body = { status: 'serving', storage: 'failing' };
  const told = () => Promise.all(['?need=reads', '?need=writes', ''].map(health));
  // The first to notice is a connection that broke; until the others have noticed, too, one of the three may say otherwise.
  await waitFor(async () => (await told()).every(([, { storage }]) => storage === 'failing'));
  expect(await told()).toEqual([
    [200, body],
    [503, body],
    [200, body],
  ]);
  // The page that is needed now says what is the matter.
  const page = await fetch(`${node}/network`, { headers: { accept: 'text/html' } });
  expect(page.status).toBe(200);
  expect(await page.text()).toContain('The storage of the registry has failed');
  const status = await fetch(`${node}/status`, { signal: AbortSignal.timeout(10_000) });
  const { storage, sources } = (await status.json()) as { storage: object; sources: object[] };
  expect(storage).toMatchObject({ state: 'failing', failing: [{ store: 'registry' }] });
  expect(sources).toMatchObject([{ kind: 'local' }]);
}
