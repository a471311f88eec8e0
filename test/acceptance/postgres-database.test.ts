import { beforeAll, describe, expect, it } from 'vitest';
import { cleanup } from '../support/cleanup.js';
import { type ClusterNode, list, post, type Seen, startCluster } from '../support/node/cluster.js';
import { PostgresServer } from '../support/postgres-server.js';
import { expectSoon, waitFor } from '../support/wait-for.js';

/** A commit that was acknowledged survives the end of the server. Only the flushing of files is left out. */
const SETTINGS = { fsync: 'off', synchronous_commit: 'on' };
/** How long nodes may take to find the database again on a machine that does other things, in ms. */
const uri = (name: string) => `https://c.example/${name}.js`;

/** Two nodes on a database server of their own. */
class Cluster {
  /** What each entity tag has stood for, at whichever node and time. */
  readonly #bodies = new Map<string, string>();

  private constructor(
    readonly server: PostgresServer,
    readonly nodes: readonly [one: ClusterNode, other: ClusterNode],
  ) {}

  static async start(): Promise<Cluster> {
    const server = await PostgresServer.start(SETTINGS);
    cleanup(() => server.remove());
    const [one, other] = await startCluster(2, await server.createDatabase());
    if (!one || !other) throw new Error('two nodes were asked for');
    return new Cluster(server, [one, other]);
  }

  async look({ url }: ClusterNode): Promise<Seen> {
    const seen = await list(url);
    if (seen.status !== 200) return seen;
    const said = JSON.stringify(seen.uris);
    expect([seen.etag, this.#bodies.get(seen.etag ?? '') ?? said]).toEqual([seen.etag, said]);
    this.#bodies.set(seen.etag ?? '', said);
    return seen;
  }

  /** Writes at one node, as soon as that is possible, and waits until both show exactly this. */
  async write(node: ClusterNode, name: string, ...shown: readonly string[]): Promise<void> {
    await waitFor(async () => (await post(node.url, [uri(name)])) === 201);
    await this.shows(...shown);
  }

  /** Waits until both nodes show exactly these. */
  async shows(...names: readonly string[]): Promise<void> {
    const expected = JSON.stringify(names.map(uri).sort());
    for (const node of this.nodes) {
      await waitFor(async () => JSON.stringify((await this.look(node)).uris) === expected, {
        describe: () => `${node.url} to show ${names.join()}`,
      });
    }
  }
}

async function statusOf(url: string, headers: Record<string, string> = {}): Promise<number> {
  const answer = await fetch(url, { headers });
  await answer.text();
  return answer.status;
}

/** What a node says of a write that cannot be, and when to try again. */
async function refusedWrite({ url }: ClusterNode) {
  const answer = await fetch(`${url}/component`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ uri: uri('refused'), label: 'Refused' }),
  });
  const { status, headers } = answer;
  await answer.text();
  return { status, type: headers.get('content-type'), retryAfter: headers.get('retry-after') };
}

describe('a database that is killed and comes back', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await Cluster.start();
    const [one, other] = cluster.nodes;
    await cluster.write(one, 'a', 'a');
    await cluster.write(other, 'b', 'a', 'b');
  });

  it('is told to writers, with a time to try again, and empties no answer meanwhile', async () => {
    const before = await Promise.all(cluster.nodes.map((node) => cluster.look(node)));
    await cluster.server.kill();
    for (const [i, node] of cluster.nodes.entries()) {
      await waitFor(async () => (await refusedWrite(node)).status === 503);
      expect(await refusedWrite(node)).toEqual({
        status: 503,
        type: 'application/problem+json',
        retryAfter: expect.stringMatching(/^\d+$/),
      });
      const { etag, cursor, uris } = before[i] ?? {};
      const seen = await cluster.look(node);
      // Reads never need the database.
      expect(seen).toEqual({ status: 200, etag, cursor, uris });
      expect(await statusOf(`${node.url}/component`, { 'if-none-match': etag ?? '' })).toBe(304);
      expect(await statusOf(`${node.url}/c/${uri('a')}`)).toBe(200);
      expect(await statusOf(`${node.url}/health`)).toBe(200);
      expect(await statusOf(`${node.url}/health?need=writes`)).toBe(503);
    }
  });

  it('is found again without a restart: everything that was acknowledged is there, and both follow', async () => {
    await cluster.server.start();
    const [one, other] = cluster.nodes;
    await cluster.write(one, 'c', 'a', 'b', 'c');
    await cluster.write(other, 'd', 'a', 'b', 'c', 'd');
    for (const { url } of cluster.nodes)
      await waitFor(async () => (await statusOf(`${url}/health?need=writes`)) === 200);
    // The date of the last change may come a moment later than the change, and tags are made with it.
    await expectSoon(async () => {
      const [seen, same] = await Promise.all(cluster.nodes.map((node) => cluster.look(node)));
      expect(seen).toEqual(same);
    });
  });
});
