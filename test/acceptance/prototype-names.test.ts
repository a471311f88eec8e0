import { expect, test } from 'vitest';
import { cleanup } from '../support/cleanup.js';
import { fakeServer } from '../support/fake-server.js';
import { OPERATOR_TOKEN } from '../support/node/node-reader.js';
import { fakePeer } from '../support/peer/fake-peer.js';
import { FakePod, turtle } from '../support/pod/fake-pod.js';
import { type NetworkNode, networkNodes } from './adapters/network-node.js';

/** What every plain object of JavaScript seems to have: a table that is one finds these names in it. */
const NAMES = Object.getOwnPropertyNames(Object.prototype);

const AC = 'https://www.w3.org/ns/ac#';

async function startNode(settings: object = {}): Promise<NetworkNode> {
  const [node] = (await networkNodes(1)) as [NetworkNode];
  await node.start({ ...settings });
  return node;
}

/** A capability that has the name wherever a capability has names. */
const capability = (name: string) => ({
  action: name,
  accept: [name],
  resourceType: [name],
  invocation: [
    { type: name, [name]: [name] },
    {
      type: 'ElementInvocation',
      element: 'x-y',
      fixed: { [name]: name },
      mapping: [{ variable: name, property: name }],
    },
    {
      type: 'ac:UriTemplateInvocation',
      template: `{${name}}`,
      mapping: [{ variable: name, property: name }],
    },
  ],
});

test.each(NAMES)('nobody who sends %s in any place of a request gets more than a refusal', async (name) => {
  const node = await startNode();
  const said = `"${name}"`;
  const component = { uri: 'https://c.example/x.js', label: 'x', tag: [name], author: [name] };
  const bodies: [path: string, body: string][] = [
    ['/component', `{"uri":"https://c.example/a.js","label":"a",${said}:${said}}`],
    ['/component', JSON.stringify({ ...component, capability: [capability(name)] })],
    ['/component', JSON.stringify({ ...component, capability: [{ action: name }] })],
    ['/component', JSON.stringify({ ...component, version: name, latest: name })],
    ['/component/query', `{${said}:${said}}`],
    ...['action', 'accept', 'invocation', 'tag', 'shapes', 'version', 'q', 'source', 'trust'].map(
      (key): [string, string] => ['/component/query', JSON.stringify({ [key]: name })],
    ),
    ['/match', `{${said}:${said}}`],
    ['/match', JSON.stringify({ action: name })],
    ['/match', JSON.stringify({ types: [name], predicates: [name], mediaType: name })],
  ];
  const paths = [
    `/component?action=${name}&invocation=${name}&tag=${name}&format=${name}&${name}=${name}`,
    `/why?uri=${name}`,
    `/c/${name}`,
    `/docs/${name}`,
    `/assets/${name}`,
    `/starter/${name}`,
    `/demo/${name}`,
    `/feed?since=${name}&${name}=1`,
    `/${name}`,
  ];
  const answers = [
    ...bodies.map(([path, body]) => send(node, path, body)),
    ...paths.map((path) => fetch(node.url + path)),
    fetch(`${node.url}/component`, { headers: { accept: name } }),
    send(node, '/component', `<https://c.example/y.js> <${name}:x> <${name}:y>.`, `text/${name}`),
  ];
  const refused = (await Promise.all(answers)).filter(({ status }) => status >= 500);
  expect(refused.map(({ url, status }) => `${status} ${url}`)).toEqual([]);
});

test('a document that has such names hides no other document of its container', async () => {
  const server = await fakeServer();
  cleanup(() => server.close());
  const pod = new FakePod(server);
  pod.put('/pod/a.ttl', turtle('a'));
  for (const [i, name] of NAMES.entries()) {
    const said = `<${AC}capability> [ <${AC}action> "${name}" ; <${AC}invocation> [ a <${AC}${name}> ] ]`;
    pod.put(`/pod/b${i}.ttl`, turtle(`b${i}`, `; ${said} `));
  }
  pod.put('/pod/c.ttl', turtle('c'));
  const node = await startNode({ pods: [server.url('/pod/')] });
  await node.sync();
  expect(await node.uris()).toEqual(
    expect.arrayContaining(['https://c.example/a.js', 'https://c.example/c.js']),
  );
  expect((await node.source(server.url('/pod/'))).error).toBeUndefined();
});

test("a component that has such names hides no other one of a peer's listing", async () => {
  const peer = await fakePeer();
  const strange = NAMES.map((name) => ({
    uri: `https://c.example/${name}.js`,
    label: name,
    capability: [capability(name)],
  }));
  const listed = [
    { uri: 'https://c.example/a.js', label: 'a' },
    ...strange,
    { uri: 'https://c.example/z.js', label: 'z' },
  ];
  peer.faults.set('/component', { body: listed });
  const node = await startNode({ peers: [peer.url] });
  await node.sync();
  expect(await node.uris()).toEqual(
    expect.arrayContaining(['https://c.example/a.js', 'https://c.example/z.js']),
  );
});

function send(node: NetworkNode, path: string, body: string, type = 'application/json'): Promise<Response> {
  const headers = { 'content-type': type, authorization: `Bearer ${OPERATOR_TOKEN}` };
  return fetch(node.url + path, { method: 'POST', body, headers });
}
