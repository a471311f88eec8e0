import { expect, test } from 'vitest';
import { fakeServer } from '../support/fake-server.js';
import { statusOf, sync } from '../support/node/node-reader.js';
import { postJson } from '../support/node/post-json.js';
import { FakePod, turtle } from '../support/pod/fake-pod.js';
import { startInProcess } from './adapters/in-process-node.js';

/** Some of what every plain object of JavaScript seems to have: a table that is one finds these names in it. */
const NAMES = ['__proto__', 'constructor', 'toString'];
const AC = 'https://www.w3.org/ns/ac#';

/** A capability that has the name wherever a capability has names. */
const capability = (name: string) => {
  const mapping = [{ variable: name, property: name }];
  const element = { type: 'ElementInvocation', element: 'x-y', fixed: { [name]: name }, mapping };
  const template = { type: 'ac:UriTemplateInvocation', template: `{${name}}`, mapping };
  const invocation = [{ type: name, [name]: [name] }, element, template];
  return { action: name, accept: [name], resourceType: [name], invocation };
};

const KEYS = ['action', 'accept', 'invocation', 'tag', 'shapes', 'version', 'q', 'source', 'trust'];
const bodiesWith = (name: string): [path: string, body: string][] => {
  const said = `"${name}"`;
  const component = { uri: 'https://c.example/x.js', label: 'x', tag: [name], author: [name] };
  return [
    ['/component', `{"uri":"https://c.example/a.js","label":"a",${said}:${said}}`],
    ['/component', JSON.stringify({ ...component, capability: [capability(name)] })],
    ['/component', JSON.stringify({ ...component, version: name, latest: name })],
    ['/component/query', `{${said}:${said}}`],
    ...KEYS.map((key): [string, string] => ['/component/query', JSON.stringify({ [key]: name })]),
    ['/match', `{${said}:${said}}`],
    ['/match', JSON.stringify({ action: name, types: [name], predicates: [name], mediaType: name })],
  ];
};
const pathsWith = (name: string) => [
  `/component?action=${name}&invocation=${name}&tag=${name}&format=${name}&${name}=${name}`,
  ...[`/why?uri=${name}`, `/feed?since=${name}&${name}=1`, `/${name}`],
  ...['c', 'docs', 'assets', 'starter', 'demo'].map((folder) => `/${folder}/${name}`),
];

test('nobody who sends such a name in any place gets more than a refusal, and a document with it hides no other', async () => {
  const server = await fakeServer();
  const pod = new FakePod(server);
  pod.put('/pod/a.ttl', turtle('a'));
  for (const [i, name] of NAMES.entries()) {
    const said = `<${AC}capability> [ <${AC}action> "${name}" ; <${AC}invocation> [ a <${AC}${name}> ] ]`;
    pod.put(`/pod/b${i}.ttl`, turtle(`b${i}`, `; ${said} `));
  }
  pod.put('/pod/c.ttl', turtle('c'));
  const node = await startInProcess({ config: { pods: [server.url('/pod/')], write: 'open' } });
  await sync(node);
  expect((await statusOf(node, server.url('/pod/'))).error).toBeUndefined();
  for (const name of ['a', 'c'])
    expect((await fetch(`${node.url}/c/https://c.example/${name}.js`)).status).toBe(200);
  const failed: string[] = [];
  const note = async (asked: Promise<Response>) => {
    const { status, url } = await asked;
    if (status >= 500) failed.push(`${status} ${url}`);
  };
  for (const name of NAMES) {
    for (const [path, body] of bodiesWith(name))
      await note(fetch(node.url + path, { ...postJson({}), body }));
    for (const path of pathsWith(name)) await note(fetch(node.url + path));
    await note(fetch(`${node.url}/component`, { headers: { accept: name } }));
    const headers = { 'content-type': `text/${name}` };
    await note(fetch(`${node.url}/component`, { method: 'POST', headers, body: `<${name}:x> <a:b> <c:d>.` }));
  }
  expect(failed).toEqual([]);
});
