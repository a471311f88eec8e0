import { setTimeout as instant } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { cleanup } from '../support/cleanup.js';
import { post, startCluster, startClusterNode } from '../support/node/cluster.js';
import type { NodeProcess } from '../support/node/node-process.js';
import { askAsOperator, getJson, listedUris } from '../support/node/node-reader.js';
import { primaryWithStandby } from '../support/postgres-pair.js';
import { PostgresServer } from '../support/postgres-server.js';
import { waitFor } from '../support/wait-for.js';

/** When a client that is told to try again later does, in ms. */
const RETRY_AFTER = 50;

describe('when the primary is killed and its synchronous standby promoted', () => {
  it('nodes find the new primary without a restart, and nothing that was acknowledged is lost', async () => {
    const { primary, standby, url } = await primaryWithStandby();
    const nodes = await startCluster(2, url.replace('registry@', 'registry:hunter2@'));
    const acknowledged: string[] = [];
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
    await primary.kill();
    await tellsThatTheDatabaseIsAway(nodes[0]?.address ?? '');
    await standby.promote();
    const before = acknowledged.length;
    await waitFor(() => acknowledged.length > before + 40, { describe: 'writes on the new primary' });
    running = false;
    await Promise.all(load);

    // Reads never need the database; of writes, an honest "try again in a moment".
    expect([...answers.reads]).toEqual([200]);
    expect([...answers.writes].filter((status) => status !== 201 && status !== 503)).toEqual([]);
    for (const { address: url } of nodes) {
      await waitFor(async () => {
        const there = new Set(await listedUris({ url }));
        return acknowledged.every((uri) => there.has(uri));
      });
    }
    for (const node of nodes) {
      const url = node.address;
      const paths = ['/status', '/health', '/metrics'];
      const told = await Promise.all(paths.map((path) => askAsOperator({ url }, path)));
      // The log says that the database was away, and no word of all this has the password in it.
      const log = [...node.log.map((line) => JSON.stringify(line)), node.stderr];
      expect(log.join('\n')).toMatch(/the database cannot be used[\s\S]*the database answers again/);
      expect([...log, ...told].join('\n')).not.toContain('hunter2');
    }
  });
});

describe('when the server says nothing any more', () => {
  it('a node can be stopped: what waits for it is answered, and nothing that was acknowledged is lost', async () => {
    const server = await PostgresServer.start();
    cleanup(() => server.remove());
    const database = await server.createDatabase();
    const node = await startClusterNode(database);
    const uris = (name: string) => [`https://c.example/${name}.js`];
    expect(await post(node.address, uris('before'))).toBe(201);
    const goOn = await server.pause();
    cleanup(goOn);
    const waiting = post(node.address, uris('meanwhile'));
    await instant(500);
    // It exits with 1 when it takes more than 5 s.
    await node.stop();
    expect(await waiting).toBe(503);
    goOn();
    const again = await startClusterNode(database);
    expect(await listedUris({ url: again.address })).toEqual(uris('before'));
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
