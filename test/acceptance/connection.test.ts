import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { call, tokenOf, tokenVerb, WITH_CONNECTIONS } from '../support/node/connection-node.js';
import { type NodeProcess, startNode } from '../support/node/node-process.js';
import type { Pod } from '../support/pod/pod.js';
import { sharedPod } from '../support/pod/shared-pod.js';

const encode = encodeURIComponent;
const PUBLIC = 'notebook/public/notes.ttl';
const PRIVATE = 'notebook/private/diary.ttl';

let pod: Pod;
let node: NodeProcess;
let alice: string;
beforeAll(async () => {
  pod = await sharedPod();
  await pod.put(PUBLIC, '<#it> <urn:says> "public" .', 'text/turtle');
  await pod.makePublic('notebook/public/');
  await pod.put(PRIVATE, '<#it> <urn:says> "private words" .', 'text/turtle');
  node = await startNode({ config: { ...WITH_CONNECTIONS, connection: { issuers: [pod.server] } } });
  alice = await tokenOf(node, pod.webId);
});

async function connect(path: string, configuration: object = {}): Promise<string> {
  const body = { source: pod.url + path, state: 'CONNECTED', configuration };
  const { status, json } = await call(node, 'POST', '/connection/', { body, token: alice });
  expect(status).toBe(201);
  return decodeURIComponent(json.uri);
}

async function refreshed(
  path: string,
): Promise<{ triples: { object: { value: string } }[]; error?: string }> {
  const { json } = await call(node, 'POST', '/resource/refresh', { token: alice });
  return json.find(({ uri }: { uri: string }) => uri === pod.url + path);
}

const saying = (text: string) => [{ predicate: 'urn:says', object: { value: text, termType: 'literal' } }];

describe('a source in a real pod', () => {
  test('is read, and read again when its owner has changed it', async () => {
    await connect(PUBLIC);
    expect(await refreshed(PUBLIC)).toMatchObject({ triples: saying('public') });
    await pod.take('notebook/');
    await refreshed(PUBLIC);
    expect((await pod.take('notebook/')).map(({ status }) => status)).toEqual([304]);
    await pod.put(PUBLIC, '<#it> <urn:says> "public, changed" .', 'text/turtle');
    expect(await refreshed(PUBLIC)).toMatchObject({ triples: saying('public, changed') });
  });

  test('that is private is not read without credentials, and says so', async () => {
    await connect(PRIVATE);
    const error = expect.stringContaining('401');
    expect(await refreshed(PRIVATE)).toMatchObject({ stale: true, triples: [], error });
  });

  test('shows what is private to nobody else, and nowhere in the registry', async () => {
    const bob = await tokenOf(node, 'https://bob.example/#me');
    expect((await call(node, 'GET', '/resource/', { token: bob })).json).toEqual([]);
    expect((await call(node, 'GET', `/resource/${encode(pod.url + PRIVATE)}`, { token: bob })).status).toBe(
      404,
    );
    for (const path of ['/component', '/status', '/metrics', '/openapi.json', '/storage', '/']) {
      const text = await (await fetch(node.url + path)).text();
      expect(text, path).not.toMatch(/private words|diary|notebook/);
    }
    expect(await (await fetch(`${node.url}/metrics`)).text()).toMatch(/route="\/resource\/refresh"/);
    expect(JSON.stringify(node.log)).not.toMatch(/private words|diary/);
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

describe('the token verb', () => {
  test('prints a token and nothing else, beside the running node, with a key for its owner only', async () => {
    const { stdout, stderr } = await tokenVerb(node, '--holder', 'urn:carol', '--expires', '1h');
    const token = stdout.trim();
    expect(token).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    expect((await call(node, 'GET', '/connection/', { token })).json).toEqual([]);
    const key = join(node.dataDir, 'connection-key.json');
    expect((await stat(key)).mode & 0o777).toBe(0o600);
    expect(JSON.stringify(node.log)).not.toContain(JSON.parse(await readFile(key, 'utf8')).secret);
    // The line of the log is on standard error, so that standard output is the token alone.
    expect(JSON.parse(stderr)).toMatchObject({
      who: expect.stringMatching(/^command line \(.+\)$/),
      ...{ audit: true, what: expect.stringMatching(/^made a token until 20/), subjects: ['urn:carol'] },
    });
    expect(stderr).not.toContain(token.split('.')[2]);
  });
});
