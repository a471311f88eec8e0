import { expect, test } from 'vitest';
import { fakeServer } from '../support/fake-server.js';
import { OPERATOR_TOKEN, statusOf } from '../support/node/node-reader.js';
import { FakePod, turtle } from '../support/pod/fake-pod.js';
import { startInProcess } from './adapters/in-process-node.js';

const PUBLIC = 'public on this node';

test('that a private pod becomes public is said where its operator looks: log, page, /status, rehearsal', async () => {
  const server = await fakeServer();
  const pod = new FakePod(server);
  pod.put('/open/a.ttl', turtle('a'));
  const [url, open] = [server.url('/private/'), server.url('/open/')];
  const auth = { id: 'POD_ID', secret: 'POD_SECRET', issuer: server.url('/') };
  const node = await startInProcess({
    config: { pods: [{ url, auth }, open] },
    env: { REGISTRY_OPERATOR_TOKEN: OPERATOR_TOKEN, POD_ID: 'ann', POD_SECRET: 'hidden-from-all' },
  });
  const told = node.log.filter(({ msg }) => msg?.includes(PUBLIC));
  expect(told.map(({ level, source }) => [level, source])).toEqual([['info', url]]);

  expect(await statusOf(node, url)).toMatchObject({ private: true });
  expect(await statusOf(node, open)).not.toHaveProperty('private');
  const page = await (await fetch(`${node.url}/network`, { headers: { accept: 'text/html' } })).text();
  expect(page.split(PUBLIC)).toHaveLength(2);

  const headers = {
    'content-type': 'application/json',
    accept: 'text/plain',
    authorization: `Bearer ${OPERATOR_TOKEN}`,
  };
  const rehearse = async (address: string) => {
    const request = { method: 'POST', headers, body: JSON.stringify({ url: address }) };
    return (await fetch(`${node.url}/rehearse`, request)).text();
  };
  expect(await rehearse(url)).toContain('becomes public on this node');
  expect(await rehearse(open)).not.toContain(PUBLIC);
});
