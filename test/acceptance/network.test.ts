import { beforeAll, describe, expect, test } from 'vitest';
import { heldPort } from '../support/held-port.js';
import { type NodeOptions, type NodeProcess, startNode } from '../support/node/node-process.js';
import { listedUris, listing, OPERATOR_TOKEN, statusOf, sync } from '../support/node/node-reader.js';
import { postJson } from '../support/node/post-json.js';
import { SharedPod } from '../support/pod/shared-pod.js';
import { LONGEST_WAIT, waitFor } from '../support/wait-for.js';

// What `npm run simulate` shows of simulated nodes, once with processes and a pod server of others. Polls are hours away, but
// for those of the mirror: what arrives has been told by pod and peers.
const ON_DEMAND = { schedule: '0 0 1 1 *' };

interface Refused {
  readonly refused: {
    readonly counts: Readonly<Record<string, number>>;
    readonly examples: readonly { readonly url: string; readonly via: string }[];
  };
}

const uriOf = (name: string) => `https://c.example/${name}.js`;
const authorization = `Bearer ${OPERATOR_TOKEN}`;

describe('a pod, a node that reads it, and three that read that node', () => {
  let server: SharedPod;
  let pod: string;
  let alpha: NodeProcess;
  /** It reads what its operator approves. */
  let beta: NodeProcess;
  /** It is forbidden to read addresses of this machine that it has only learned of. */
  let closed: NodeProcess;
  let mirror: NodeProcess;

  beforeAll(async () => {
    server = await SharedPod.open('network');
    pod = `${server.url}network/public/`;
    await put('first');
    await server.makePublic('network/public/');
    const start = async (config: NodeOptions['config']) =>
      startNode({
        config: { listen: { port: await heldPort() }, sync: ON_DEMAND, ...config },
        env: { REGISTRY_OPERATOR_TOKEN: OPERATOR_TOKEN },
      });
    alpha = await start({ pods: [pod], write: 'operator' });
    await sync(alpha);
    const network = { allowPrivate: true };
    [beta, closed, mirror] = await Promise.all([
      start({ peers: [alpha.url], network, discovery: { approve: true } }),
      start({ peers: [alpha.url] }),
      start({ peers: [alpha.url], network, mode: 'mirror', sync: { schedule: '*/5 * * * * *' } }),
    ]);
    await everywhere([uriOf('first')]);
  });

  const put = (name: string, label = name) =>
    server.put(
      `network/public/${name}.ttl`,
      `<${uriOf(name)}> <http://semcom.digita.ai/voc#label> "${label}".`,
      'text/turtle',
    );
  const nodes = () => [alpha, beta, closed, mirror];
  async function everywhere(uris: readonly string[], of = nodes(), timeoutMs = LONGEST_WAIT): Promise<void> {
    for (const node of of) {
      const describe = () =>
        `${node.url} to list ${uris}; its last words: ${JSON.stringify(node.log.slice(-3))}`;
      await waitFor(async () => (await listedUris(node)).join() === uris.join(), { describe, timeoutMs });
    }
  }
  const refusedBy = async (node: NodeProcess) => {
    const answer = await fetch(`${node.url}/status`, { headers: { authorization } });
    return ((await answer.json()) as Refused).refused;
  };

  test('what is written in the pod is everywhere, and what is deleted is gone everywhere', async () => {
    await put('second');
    await everywhere(['first', 'second'].map(uriOf));
    await put('second', 'edited');
    for (const node of nodes())
      await waitFor(async () => (await listing(node)).components.some(({ label }) => label === 'edited'));
    await server.remove('network/public/second.ttl');
    await everywhere([uriOf('first')]);
  });

  test('an address of this machine that was only learned is not read, and the operator sees why', async () => {
    expect(await refusedBy(closed)).toMatchObject({
      counts: { 'private-address': 1 },
      examples: [{ url: pod, via: alpha.url }],
    });
    await expect(statusOf(closed, pod)).rejects.toThrow('names no source');
    // Strangers are told how many, and not where.
    const told = await closed.getJson<Refused>('/status');
    expect(told.refused).toEqual({ counts: { 'private-address': 1 }, examples: [] });
    expect(closed.log.filter(({ reason }) => reason === 'private-address')).toHaveLength(1);
  });

  test('a pod that was learned of is read once the operator approves it, and forgotten when it is rejected', async () => {
    const decide = async (decision: string) => {
      const sent = postJson({ url: pod, decision }, { authorization });
      expect((await fetch(`${beta.url}/discovery`, sent)).status).toBe(204);
    };
    expect(await refusedBy(beta)).toMatchObject({ counts: { 'not-approved': 1 }, examples: [{ url: pod }] });
    await decide('approve');
    await waitFor(async () => (await statusOf(beta, pod).catch(() => undefined))?.state === 'ok');
    expect(await refusedBy(beta)).toMatchObject({ counts: {} });
    await beta.stop();
    await beta.restart();
    expect(await statusOf(beta, pod)).toMatchObject({ configured: false, hops: 1, components: 1 });
    await decide('reject');
    await everywhere([], [beta]);
    await sync(beta);
    // What was rejected is not taken from a peer either.
    expect(await listedUris(beta)).toEqual([]);
    await decide('forget');
    await sync(beta);
    await everywhere([uriOf('first')], [beta]);
  });

  test('a peer that is killed is failing at once; the mirror serves on, also after a restart; back, it is followed', async () => {
    const others = [beta, closed, mirror];
    await alpha.kill();
    for (const node of others)
      await waitFor(async () => (await statusOf(node, alpha.url)).state === 'failing');
    const before = await listing(mirror);
    await mirror.stop();
    await mirror.restart();
    expect(await listing(mirror)).toEqual(before);
    await everywhere([uriOf('first')], others);
    await alpha.restart();
    const body = postJson({ uri: uriOf('posted'), label: 'Posted' }, { authorization });
    expect((await fetch(`${alpha.url}/component`, body)).status).toBe(201);
    // A source that fails is read at a hint once a minute at most, and otherwise when a minute has passed.
    await everywhere(['first', 'posted'].map(uriOf), nodes(), 3 * LONGEST_WAIT);
    for (const node of others) expect((await statusOf(node, alpha.url)).state).toBe('ok');
    const refused = await fetch(`${mirror.url}/component`, body);
    expect([refused.status, refused.headers.get('allow')]).toEqual([
      405,
      expect.not.stringContaining('POST'),
    ]);
  });
});
