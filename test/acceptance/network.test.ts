import { beforeAll, describe, expect, test } from 'vitest';
import { heldPort } from '../support/held-port.js';
import { type NodeOptions, type NodeProcess, startNode } from '../support/node/node-process.js';
import {
  type AnyNode,
  listedUris,
  listing,
  OPERATOR_TOKEN,
  statusOf,
  sync,
} from '../support/node/node-reader.js';
import { postJson } from '../support/node/post-json.js';
import { SharedPod } from '../support/pod/shared-pod.js';
import { waitFor } from '../support/wait-for.js';
import { type InProcessNode, startInProcess } from './adapters/in-process-node.js';

// What `npm run simulate` shows of simulated nodes, once over real sockets, with a process that is killed and a pod server of others. Polls are hours away, but
// for those of the mirror: what arrives has been told by pod and peers.
const ON_DEMAND = { schedule: '0 0 1 1 *' };

const uriOf = (name: string) => `https://c.example/${name}.js`;
const authorization = `Bearer ${OPERATOR_TOKEN}`;

describe('a pod, a node that reads it, and two that read that node', () => {
  let server: SharedPod;
  let alpha: NodeProcess;
  let beta: InProcessNode;
  let mirror: InProcessNode;

  beforeAll(async () => {
    server = await SharedPod.open('network');
    const pod = `${server.url}network/public/`;
    await put('first');
    await server.makePublic('network/public/');
    const options = async (config: NodeOptions['config']) => ({
      config: { listen: { port: await heldPort() }, sync: ON_DEMAND, ...config },
      env: { REGISTRY_OPERATOR_TOKEN: OPERATOR_TOKEN },
    });
    alpha = await startNode(await options({ pods: [pod], write: 'operator' }));
    await sync(alpha);
    const peers = [alpha.url];
    const often = { schedule: '*/5 * * * * *' };
    beta = await startInProcess(await options({ peers }));
    mirror = await startInProcess(
      await options({ peers, network: { allowPrivate: true }, mode: 'mirror', sync: often }),
    );
    await everywhere([uriOf('first')]);
  });

  const put = (name: string, label = name) =>
    server.put(
      `network/public/${name}.ttl`,
      `<${uriOf(name)}> <http://semcom.digita.ai/voc#label> "${label}".`,
      'text/turtle',
    );
  const nodes = () => [alpha, beta, mirror];
  async function everywhere(uris: readonly string[], of: readonly AnyNode[] = nodes()): Promise<void> {
    for (const node of of) {
      const describe = `${node.url} to list ${uris}`;
      await waitFor(async () => (await listedUris(node)).join() === uris.join(), { describe });
    }
  }

  test('what is written in the pod is everywhere, and what is deleted is gone everywhere', async () => {
    await put('second');
    await everywhere(['first', 'second'].map(uriOf));
    await put('second', 'edited');
    for (const node of nodes())
      await waitFor(async () => (await listing(node)).components.some(({ label }) => label === 'edited'));
    await server.remove('network/public/second.ttl');
    await everywhere([uriOf('first')]);
    // The pod is at an address of this machine, of which it has only learned; strangers are not told where.
    const { refused } = await beta.getJson<{ refused: object }>('/status');
    expect(refused).toEqual({ counts: { 'private-address': 1 }, examples: [] });
  });

  test('a peer that is killed is failing at once; the mirror serves on, also after a restart; back, it is followed', async () => {
    const others = [beta, mirror];
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
    // By itself, a source that fails is read again when a minute has passed; nobody waits for that here.
    for (const node of others) await sync(node);
    await everywhere(['first', 'posted'].map(uriOf));
    for (const node of others) expect((await statusOf(node, alpha.url)).state).toBe('ok');
    const refused = await fetch(`${mirror.url}/component`, body);
    expect([refused.status, refused.headers.get('allow')]).toEqual([
      405,
      expect.not.stringContaining('POST'),
    ]);
  });
});
