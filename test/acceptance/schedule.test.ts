import { expect, test } from 'vitest';
import { cleanup } from '../support/cleanup.js';
import { type FakeAnswer, type FakeServer, fakeServer, type SeenRequest } from '../support/fake-server.js';
import { heldPort } from '../support/held-port.js';
import { startNode } from '../support/node/node-process.js';
import { listedUris, OPERATOR_TOKEN, statusOf, sync } from '../support/node/node-reader.js';
import { FakePod, turtle } from '../support/pod/fake-pod.js';
import { waitFor } from '../support/wait-for.js';

async function openServer(port?: number): Promise<FakeServer> {
  const server = await fakeServer(port);
  cleanup(() => server.close());
  return server;
}

test('a peer that was killed is failing at once, and read as soon as it is back, whatever the schedule says', async () => {
  const config = { listen: { port: await heldPort() }, write: 'open' };
  const peer = await startNode({ config });
  // Polls are hours away.
  const node = await startNode({ config: { peers: [peer.url], sync: { schedule: '0 0 1 1 *' } } });
  const state = async () => (await statusOf(node, peer.url)).state;
  const streams = async () => {
    const metrics = await (await fetch(`${node.url}/metrics`)).text();
    return Number(/^registry_hint_lines (\d+)/m.exec(metrics)?.[1]);
  };
  await waitFor(async () => (await state()) === 'ok' && (await streams()) === 1);
  await peer.kill();
  await waitFor(async () => (await state()) === 'failing');
  await peer.restart();
  const uri = 'https://c.example/news.js';
  await fetch(`${peer.url}/component`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ uri, label: 'News' }),
  });
  await waitFor(async () => (await listedUris(node)).includes(uri));
  expect(await state()).toBe('ok');
});

test('a configured pod that is not there yet is never left alone for more than two intervals of the schedule', async () => {
  const pod = `http://127.0.0.1:${await heldPort()}/pod/`;
  const node = await startNode({
    config: { pods: [pod], sync: { schedule: '*/5 * * * *' } },
    env: { REGISTRY_OPERATOR_TOKEN: OPERATOR_TOKEN },
  });
  type Times = { readonly sources: readonly { url: string; nextAttempt?: string; lastAttempt?: string }[] };
  for (let failures = 0; failures < 8; failures++) await sync(node);
  const { sources } = await node.getJson<Times>('/status');
  const { nextAttempt = '', lastAttempt = '' } = sources.find(({ url }) => url === pod) ?? {};
  const wait = Date.parse(nextAttempt) - Date.parse(lastAttempt);
  expect(wait).toBeGreaterThan(100_000);
  // An hour, of which half is chance, without this bound.
  expect(wait).toBeLessThan(601_000);
});

/** Answers as a pod that offers notifications of everything in it, which stay open and say nothing. */
function withNotifications(pod: FakePod): (request: SeenRequest) => FakeAnswer {
  return (request) => {
    if (request.url.startsWith('/notify'))
      return { body: '      ', hang: 'body', headers: { 'content-type': 'text/turtle' } };
    const answer = pod.answer(request);
    if (request.method !== 'HEAD') return answer;
    const link = `</notify${request.url}>; rel="http://www.w3.org/ns/solid/terms#updatesViaStreamingHttp2023"`;
    return { ...answer, headers: { ...answer.headers, link } };
  };
}

test('pods that offer no notifications take no stream from those that do', async () => {
  const pods = await Promise.all([openServer(), openServer(), openServer()]);
  const [silent, other, telling] = pods.map((server) => new FakePod(server));
  for (const pod of [silent, other, telling])
    for (const name of ['a', 'b', 'c', 'd'])
      pod?.put(`/pod/${name}.ttl`, turtle(`${name}-${pod.server.port}`));
  if (telling) telling.answerAll(withNotifications(telling));
  const node = await startNode({
    config: { pods: pods.map((server) => server.url('/pod/')), sync: { streams: 5, schedule: '0 0 1 1 *' } },
  });
  const listened = () =>
    telling?.server.requests.filter(({ url }) => url.startsWith('/notify')).map(({ url }) => url);
  await waitFor(async () => new Set(listened()).size === 5);
  expect(new Set(listened())).toContain('/notify/pod/d.ttl');
  expect(await listedUris(node)).toHaveLength(12);
});
