import { request } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { type AttackedNode, attackedNode } from '../support/attacked-node.js';
import { type FakeServer, fakeServer } from '../support/fake-server.js';
import { type HostileDocument, LARGE, OF_PEERS, SMALL } from '../support/hostile-documents.js';
import { OPERATOR_TOKEN } from '../support/node/node-options.js';
import { type NodeProcess, startNode } from '../support/node/node-process.js';
import { metric, statusOf, sync } from '../support/node/node-reader.js';
import { inTorture } from '../support/torture.js';

/** Clients that send a document and leave. */
const LEAVING = 24;

/** In `npm test`, of what is posted the one that takes most: tables say that the others are refused. */
const POSTED = inTorture ? Object.keys(SMALL) : ['scoped contexts among many terms'];
/** What says far more than it is long is shown without a node, too: test/scenario/worker-pool.test.ts. */
const IN_PODS = Object.keys(LARGE).filter((name) => inTorture || !name.startsWith('one long term'));
const OF_A_PEER = Object.keys(OF_PEERS);

const pathOf = (name: string) => `/${encodeURIComponent(name)}`;
const authorization = `Bearer ${OPERATOR_TOKEN}`;

describe('what a stranger wrote keeps no other client waiting', () => {
  let server: FakeServer;
  let node: NodeProcess;
  let attacked: AttackedNode;
  let answers = 0;

  beforeAll(async () => {
    server = await fakeServer();
    for (const [name, document] of Object.entries({ ...SMALL, ...LARGE })) serve(pathOf(name), document);
    for (const name of OF_A_PEER)
      for (const list of ['peers', 'storage', 'component']) serve(`${pathOf(name)}-peer/${list}`);
    server.everything({ status: 503 });
    node = await startNode({
      config: {
        write: 'open',
        pods: IN_PODS.map((name) => server.url(pathOf(name))),
        discovery: { deny: ['*.denied.example'] },
        peers: OF_A_PEER.map((name) => server.url(`${pathOf(name)}-peer`)),
        network: { allowPrivate: true },
      },
    });
    // The polls of the start fail: they are no attack yet.
    await sync(node);
    server.everything(undefined);
    attacked = await attackedNode(node);
  });

  function serve(path: string, answer: HostileDocument = { type: 'application/json', body: '[]' }): void {
    const headers = { 'content-type': answer.type };
    // Never quite the same: what has not changed is not read again.
    server.on(path, () => ({ headers, body: answer.body + '\n'.repeat(++answers) }));
  }

  const poll = async (url: string) => {
    const target = `${node.url}/sync?source=${encodeURIComponent(url)}`;
    const response = await fetch(target, { method: 'POST', headers: { authorization } });
    expect([response.status, await response.json()]).toMatchObject([200, {}]);
  };

  it.each(POSTED)('posted: %s', async (name) => {
    const { type, body } = SMALL[name] as HostileDocument;
    const headers = { 'content-type': type };
    const status = await attacked.by(`posted: ${name}`, async () => {
      const response = await fetch(`${node.url}/component`, { method: 'POST', headers, body });
      return response.status;
    });
    expect([400, 422]).toContain(status);
  });

  it.each(IN_PODS)('in a pod: %s', async (name) => {
    const url = server.url(pathOf(name));
    await attacked.by(`in a pod: ${name}`, () => poll(url));
    expect((await statusOf(node, url)).components).toBe(0);
  });

  it.each(OF_A_PEER)('of a peer: %s', async (name) => {
    const { peers, component } = OF_PEERS[name] ?? {};
    serve(`${pathOf(name)}-peer/peers`, peers);
    serve(`${pathOf(name)}-peer/component`, component);
    await attacked.by(`of a peer: ${name}`, () => poll(server.url(`${pathOf(name)}-peer`)));
  });

  it('nor when those who sent it have gone: nothing is expanded for them', async () => {
    const { type, body } = SMALL['values of one property'] as HostileDocument;
    const headers = { 'content-type': type };
    const padded = body + ' '.repeat(600_000 - body.length);
    const post = () =>
      new Promise<void>((resolve) => {
        const sent = request(`${node.url}/component`, { method: 'POST', headers, agent: false });
        sent.on('error', () => resolve()).on('close', () => resolve());
        sent.end(padded, () => sent.destroy());
      });
    await attacked.by(`${LEAVING} documents of 0.6 MB whose clients leave`, async () => {
      await Promise.all(Array.from({ length: LEAVING }, post));
      const started = performance.now();
      const last = await fetch(`${node.url}/component`, { method: 'POST', headers, body: '{}' });
      expect(last.status).toBe(400);
      // Expanded one after the other, they would take a minute.
      expect(performance.now() - started).toBeLessThan(30_000);
    });
  });

  it.each(['lane="post",result="failed"', 'lane="post",result="killed"', 'lane="configured",result="done"'])(
    'and the metrics tell what became of it: %s',
    async (labels) => expect(await metric(node, `registry_worker_tasks_total{${labels}}`)).toBeGreaterThan(0),
  );

  it('and leaves neither threads nor sockets nor memory behind', async () => {
    await attacked.expectRecovery();
    await node.stop();
  });
});
