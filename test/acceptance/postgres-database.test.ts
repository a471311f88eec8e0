import { expect, it } from 'vitest';
import { cleanup } from '../support/cleanup.js';
import { type ClusterNode, list, post, startCluster } from '../support/node/cluster.js';
import { postJson } from '../support/node/post-json.js';
import { PostgresServer } from '../support/postgres-server.js';
import { expectSoon, waitFor } from '../support/wait-for.js';

/** A commit that was acknowledged survives the end of the server. Only the flushing of files is left out. */
const SETTINGS = { fsync: 'off', synchronous_commit: 'on' };
const uri = (name: string) => `https://c.example/${name}.js`;

async function statusOf(url: string, headers: Record<string, string> = {}): Promise<number> {
  const answer = await fetch(url, { headers });
  await answer.text();
  return answer.status;
}

/** What a node says of a write that cannot be, and when to try again. */
async function refusedWrite({ url }: ClusterNode) {
  const { status, headers } = await fetch(`${url}/component`, postJson({ uri: uri('refused'), label: 'x' }));
  return { status, type: headers.get('content-type'), retryAfter: headers.get('retry-after') };
}

it('a database that is killed empties no answer, and is found again without a restart, with all that was acknowledged', async () => {
  const server = await PostgresServer.start(SETTINGS);
  cleanup(() => server.remove());
  const nodes = await startCluster(2, await server.createDatabase());
  /** Writes at one node, as soon as that is possible, and waits until both show exactly these. */
  const write = async (at: number, name: string, ...shown: readonly string[]) => {
    await waitFor(async () => (await post(nodes[at]?.url ?? '', [uri(name)])) === 201);
    for (const { url } of nodes)
      await waitFor(async () => (await list(url)).uris.join() === shown.map(uri).join(), {
        describe: () => `${url} to show ${shown.join()}`,
      });
  };
  await write(0, 'a', 'a');
  await write(1, 'b', 'a', 'b');

  const before = await Promise.all(nodes.map(({ url }) => list(url)));
  await server.kill();
  for (const [i, node] of nodes.entries()) {
    await waitFor(async () => (await refusedWrite(node)).status === 503);
    expect(await refusedWrite(node)).toEqual({
      ...{ status: 503, type: 'application/problem+json' },
      retryAfter: expect.stringMatching(/^\d+$/),
    });
    // Reads never need the database.
    expect(await list(node.url)).toEqual(before[i]);
    expect(await statusOf(`${node.url}/component`, { 'if-none-match': before[i]?.etag ?? '' })).toBe(304);
    expect(await statusOf(`${node.url}/c/${uri('a')}`)).toBe(200);
    expect(await statusOf(`${node.url}/health`)).toBe(200);
    expect(await statusOf(`${node.url}/health?need=writes`)).toBe(503);
  }

  await server.start();
  await write(0, 'c', 'a', 'b', 'c');
  await write(1, 'd', 'a', 'b', 'c', 'd');
  for (const { url } of nodes)
    await waitFor(async () => (await statusOf(`${url}/health?need=writes`)) === 200);
  // The date of the last change may come a moment later than the change, and tags are made with it.
  await expectSoon(async () => {
    const [seen, same] = await Promise.all(nodes.map(({ url }) => list(url)));
    expect(seen).toEqual(same);
  });
});
