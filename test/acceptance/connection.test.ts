import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { call, WITH_CONNECTIONS } from '../support/node/connection-node.js';
import { OPERATOR_TOKEN } from '../support/node/node-options.js';
import { type NodeProcess, startNode } from '../support/node/node-process.js';
import type { Pod } from '../support/pod/pod.js';
import { sharedPod } from '../support/pod/shared-pod.js';

const encode = encodeURIComponent;
const PUBLIC = 'notebook/public/notes.ttl';

let pod: Pod;
let node: NodeProcess;
let alice: string;
/** What the token verb has said beside her token. */
let told: string;
beforeAll(async () => {
  pod = await sharedPod();
  await pod.put(PUBLIC, '<#it> <urn:says> "public" .', 'text/turtle');
  await pod.makePublic('notebook/public/');
  node = await startNode({ config: { ...WITH_CONNECTIONS, connection: { issuers: [pod.server] } } });
  const { stdout, stderr } = await node.run('token', '--holder', pod.webId);
  [alice, told] = [stdout.trim(), stderr];
});

async function connect(path: string): Promise<void> {
  const body = { source: pod.url + path, state: 'CONNECTED' };
  expect((await call(node, 'POST', '/connection/', { body, token: alice })).status).toBe(201);
}

async function refreshed(
  path: string,
): Promise<{ triples: { object: { value: string } }[]; error?: string }> {
  const { json } = await call(node, 'POST', '/resource/refresh', { token: alice });
  return json.find(({ uri }: { uri: string }) => uri === pod.url + path);
}

const saying = (text: string) => [{ predicate: 'urn:says', object: { value: text, termType: 'literal' } }];

describe('a source in a real pod', () => {
  test('is read, and read again when its owner has changed it; nothing of it is in the registry or the log', async () => {
    await connect(PUBLIC);
    expect(await refreshed(PUBLIC)).toMatchObject({ triples: saying('public') });
    await pod.take('notebook/');
    await refreshed(PUBLIC);
    expect((await pod.take('notebook/')).map(({ status }) => status)).toEqual([304]);
    await pod.put(PUBLIC, '<#it> <urn:says> "public, changed" .', 'text/turtle');
    expect(await refreshed(PUBLIC)).toMatchObject({ triples: saying('public, changed') });
    const paths = ['component', 'component?graphs=all', 'status', 'metrics', 'openapi.json', 'storage', ''];
    for (const path of paths)
      expect(await (await fetch(`${node.url}/${path}`)).text(), path).not.toMatch(/notebook|public, changed/);
    expect(await (await fetch(`${node.url}/metrics`)).text()).toContain('route="/resource/refresh"');
    expect(JSON.stringify(node.log)).not.toContain('public, changed');
    // To whoever asks why, it is as a URI that nobody has ever heard of.
    const nothing = { statements: [], invalid: [], removed: [], refused: [], elsewhere: {}, unread: [] };
    const source = pod.url + PUBLIC;
    for (const uri of [source, `${source}#it`, pod.url, pod.webId])
      for (const authorization of [`Bearer ${OPERATOR_TOKEN}`, '']) {
        const why = `${node.url}/why?uri=${encode(uri)}`;
        const answer = await fetch(why, { headers: { authorization } });
        expect(await answer.json()).toEqual({ uri, served: false, ...nothing });
      }
  });
});

test("the pod server's own tokens speak for the owners of its pods", async () => {
  const { id, secret } = pod.credentials;
  const response = await fetch(`${pod.server}.oidc/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${encode(id)}:${encode(secret)}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'webid' }),
  });
  const { access_token: token } = (await response.json()) as { access_token: string };
  const seen = await call(node, 'GET', '/connection/', { token });
  expect(seen.json).toEqual((await call(node, 'GET', '/connection/', { token: alice })).json);
  expect((await call(node, 'GET', '/connection/', { token: `${token.slice(0, -2)}xx` })).status).toBe(401);
});

test('the token verb has printed a token and nothing else, beside the running node', async () => {
  expect(alice).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
  const key = await readFile(join(node.dataDir, 'connection-key.json'), 'utf8');
  expect(JSON.stringify(node.log)).not.toContain(JSON.parse(key).secret);
  // The line of the log is on standard error, so that standard output is the token alone.
  expect(JSON.parse(told)).toMatchObject({
    who: expect.stringMatching(/^command line \(.+\)$/),
    ...{ audit: true, what: expect.stringMatching(/^made a token until 20/), subjects: [pod.webId] },
  });
  expect(told).not.toContain(alice.split('.')[2]);
});
