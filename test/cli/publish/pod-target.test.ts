import { describe, expect, it } from 'vitest';
import { listedOn } from '../../../src/cli/publish/listed-on.js';
import { podTarget } from '../../../src/cli/publish/pod-target.js';
import { makePublic } from '../../../src/cli/publish/public-read.js';
import { systemClock } from '../../../src/lib/clock.js';
import { createGuardedFetch } from '../../../src/lib/fetch/guarded-fetch.js';
import { cleanup } from '../../support/cleanup.js';
import { fakeServer } from '../../support/fake-server.js';
import { component } from '../../support/registry.js';

function testFetch() {
  const fetch = createGuardedFetch({
    userAgent: 'test',
    allowPrivate: true,
    maxBytes: 100_000,
    timeoutMs: 5000,
  });
  cleanup(() => fetch.close());
  return fetch;
}

const right = { authorize: async () => ({ authorization: 'DPoP a.b.c' }) };
const TURTLE = { 'content-type': 'text/turtle', etag: '"one"' };

describe('a document in a pod', () => {
  it('is written with a condition, so that nobody else loses a change', async () => {
    const server = await fakeServer();
    const target = podTarget(server.url('/a.ttl'), {
      fetch: testFetch(),
      credentials: async () => right,
      ready: true,
    });
    server
      .on('PUT /a.ttl', [{ status: 201 }, { status: 205 }, { status: 412 }])
      .on('DELETE /a.ttl', { status: 205 });
    expect(await target.read()).toEqual({ text: undefined });
    await target.write('new', { text: undefined });
    server.on('GET /a.ttl', { headers: TURTLE, body: 'new' });
    const before = await target.read();
    await target.write('newer', before);
    await expect(target.write('newest', before)).rejects.toThrow('has been changed meanwhile');
    await target.write(undefined, before);
    const sent = server.requests
      .filter(({ method }) => method !== 'GET')
      .map(({ method, headers }) => [method, headers['if-none-match'] ?? headers['if-match']]);
    expect(sent).toEqual([
      ...[
        ['PUT', '*'],
        ['PUT', '"one"'],
        ['PUT', '"one"'],
        ['DELETE', '"one"'],
      ],
    ]);
  });

  it('is read as everybody may before anybody is asked to sign in', async () => {
    const server = await fakeServer();
    let asked = 0;
    const credentials = async () => {
      asked += 1;
      return right;
    };
    server
      .on('/open.ttl', { headers: TURTLE, body: '' })
      .on('/closed.ttl', [{ status: 401 }, { headers: TURTLE, body: '' }]);
    const parts = { fetch: testFetch(), credentials, ready: false };
    await podTarget(server.url('/open.ttl'), parts).read();
    expect(asked).toBe(0);
    await podTarget(server.url('/closed.ttl'), parts).read();
    expect(asked).toBe(1);
  });

  it('keeps rules of access that are there already', async () => {
    const server = await fakeServer();
    const url = server.url('/a.ttl');
    server.on('PUT /a.ttl.acl', { status: 412 });
    const claims = Buffer.from(JSON.stringify({ webid: 'https://me.example/#me' })).toString('base64url');
    const owner = { authorize: async () => ({ authorization: `DPoP a.${claims}.c` }) };
    const changed = makePublic(url, { status: 401, acl: `${url}.acl` }, testFetch(), owner);
    await expect(changed).rejects.toThrow('has rules already, which stay as they are');
    const unknown = makePublic(url, { status: 401, acl: `${url}.acl` }, testFetch(), right);
    await expect(unknown).rejects.toThrow('let everybody read it in the settings of your pod');
  });
});

describe('what a node makes of a document', () => {
  const card = component('card', { version: '2.0.0' });
  const said = (more: object) => ({
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      descriptions: [{ uri: card.uri, version: '2.0.0', since: 'then', served: true }],
      ...more,
    }),
  });

  it.each([
    ['has this form', said({ form: { etag: '"two"' } }), { listed: true, since: 'then' }],
    [
      'has the form before',
      said({ form: { etag: '"one"' } }),
      { listed: false, reason: 'it has not read this version yet' },
    ],
    [
      'has another version',
      said({ descriptions: [] }),
      { listed: false, reason: 'it has not read this version yet' },
    ],
    [
      'cannot read it',
      said({ descriptions: [], error: 'answers 403' }),
      { listed: false, reason: 'answers 403' },
    ],
    [
      'does not read it',
      { status: 404 },
      { listed: false, reason: expect.stringContaining('its operator can add') },
    ],
    ['is none', { body: 'hello' }, { listed: false, reason: expect.stringContaining('is it a node?') }],
  ])('is told when it %s', async (_, answer, expected) => {
    const node = await fakeServer();
    node.on('/hint', { status: 202 }).on('/document', answer);
    const listed = await listedOn(node.url('/'), {
      ...{ document: 'https://pod.example/a.ttl', etag: '"two"', components: [card], gone: [] },
      ...{ fetch: testFetch(), clock: systemClock, patienceMs: -1, signal: new AbortController().signal },
    });
    expect(listed).toMatchObject(expected);
    expect(node.requests[0]).toMatchObject({ method: 'POST', url: '/hint' });
  });
});
