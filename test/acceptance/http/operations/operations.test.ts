import { beforeEach, describe, expect, it } from 'vitest';
import { postJson } from '../../../support/node/post-json.js';
import { NO_CHANGE } from '../../../support/promised.js';
import { sourceStatus } from '../../../support/source-status.js';
import { BASE, component, createTestApp, type TestApp, TOKEN } from '../../adapters/registry-app.js';

const SINCE = Date.UTC(2026, 0, 1);
const POD = sourceStatus({
  ...{ state: 'failing', lastAttempt: SINCE, failingSince: SINCE, failures: 3, error: 'connection refused' },
  ...{ components: 2, documents: 2 },
  invalid: [{ document: 'https://pod.example/x', subject: 'https://c.example/x.js', reasons: ['no label'] }],
});
const AUTH = { authorization: `Bearer ${TOKEN}` };
const URI = 'https://c.example/a.js';

let test: TestApp;
beforeEach(async () => {
  test = await createTestApp({ write: 'open', operatorToken: TOKEN });
});
const get = (path: string, headers: Record<string, string> = {}) => test.app.request(path, { headers });
const json = async (path: string, headers = {}) => (await get(path, headers)).json() as Promise<never>;
const metrics = async () => (await get('/metrics')).text();
const sync = (query = '', headers: Record<string, string> = AUTH) =>
  test.app.request(`/sync${query}`, { method: 'POST', headers });
const decide = (body: unknown, headers: Record<string, string> = AUTH) =>
  test.app.request('/discovery', postJson(body, headers));

describe('how the node is', () => {
  it.each([
    ['serving', 200],
    ['stopping', 503],
  ] as const)('%s is %i', async (health, status) => {
    test.node.health = health;
    const response = await get('/health');
    expect([response.status, await response.json()]).toEqual([status, { status: health }]);
    // While every source fails, the last good data is served.
    test.node.activity = { ...test.node.activity, allFail: true };
    const failing = await get('/health');
    expect([failing.status, await failing.json()]).toMatchObject([status, { sources: 'failing' }]);
  });

  it('is told by /status, with each source', async () => {
    await test.say({ kind: 'pod', url: POD.url }, [component(URI), component('https://c.example/b.js')]);
    await test.registry.upsertLocal([component(URI, { label: 'Own' })]);
    test.node.status = [POD];
    test.node.now += 90_000;
    const iso = '2026-01-01T00:00:00.000Z';
    expect(await json('/status')).toEqual({
      ...{ health: 'serving', node: '127.0.0.1:3000', version: '1.2.3', baseUrl: BASE, mode: 'registry' },
      ...{ write: 'open', uptimeSeconds: 90, events: [], refused: { counts: {}, examples: [] } },
      pins: { mode: 'configured', all: 0, changed: 0, examples: [], failing: [] },
      revision: { epoch: expect.any(String), number: 3, since: '2026-01-01T12:00:00.000Z' },
      counts: { components: 2, pods: 1, peers: 0, failing: 1 },
      storage: { state: 'ok', failing: [], unstoredPolls: 0 },
      // A pod that is not configured comes after the node itself, so one of its two is not shown.
      sources: [{ ...POD, lastAttempt: iso, failingSince: iso, served: 1 }],
    });
  });

  it('has a database that cannot be written: in service, and told by /health, /status and /metrics', async () => {
    test.node.failingStores = [{ store: 'registry', kind: 'full', since: SINCE, error: 'no space left' }];
    expect(await json('/health')).toEqual({ status: 'serving', storage: 'failing' });
    const statuses = ['reads', 'writes', 'tea'].map(
      async (need) => (await get(`/health?need=${need}`)).status,
    );
    expect(await Promise.all(statuses)).toEqual([200, 503, 422]);
    const failing = [{ store: 'registry', since: '2026-01-01T00:00:00.000Z', error: 'no space left' }];
    expect(await json('/status')).toMatchObject({ storage: { state: 'failing', failing, unstoredPolls: 0 } });
    expect(await metrics()).toMatch(/^registry_failing_stores 1$/m);
  });

  it('tells of a source that is held, and of a peer that is followed', async () => {
    const shrink = { since: SINCE, polls: 1, from: 100, to: 3 };
    const following = { by: 'feed', since: SINCE } as const;
    test.node.status = [{ ...POD, state: 'held', shrink, notice: 'It had 100 components.', following }];
    const since = '2026-01-01T00:00:00.000Z';
    expect(await json('/status')).toMatchObject({
      sources: [{ state: 'held', shrink: { ...shrink, since }, following: { by: 'feed', since } }],
    });
    const line = 'registry_source_held_components{kind="pod",url="https://pod.example/"} 97';
    expect(await metrics()).toContain(line);
  });

  it('tells what is refused, private addresses to the operator alone', async () => {
    const [from, host] = [{ via: 'https://peer.example' }, 'http://10.0.0.1/'];
    test.node.refusals = {
      counts: { 'private-address': 2, own: 1 },
      examples: [
        { url: host, kind: 'peer', reason: 'private-address', ...from },
        { url: 'https://x.example/', kind: 'pod', reason: 'denied', ...from },
      ],
    };
    const { counts, examples } = test.node.refusals;
    expect(await json('/status', AUTH)).toMatchObject({ refused: { counts, examples } });
    expect(await (await get('/status')).text()).not.toContain(host);
    expect((await get('/status', { authorization: 'Bearer wrong' })).status).toBe(403);
    expect(await metrics()).toContain('registry_refused_addresses{reason="private-address"} 2');
  });

  it('has metrics of requests, catalog and sources', async () => {
    await test.registry.upsertLocal([component(URI)]);
    test.node.status = [{ ...POD, url: 'https://pod.example/"\n\\' }];
    await get('/component');
    await get('/nothing');
    expect((await get('/metrics')).headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    const text = await metrics();
    for (const line of [
      'registry_components 1\n',
      'registry_revision 2\n',
      'registry_source_components{kind="pod",url="https://pod.example/\\"\\n\\\\"} 2\n',
      'registry_http_request_duration_seconds_count{route="/component",method="GET",status="200"} 1\n',
      'route="none",method="other",status="404"',
      'registry_http_requests_in_flight 1\n',
    ])
      expect(text).toContain(line);
  });
});

describe('POST /sync', () => {
  const source = { kind: 'pod', url: POD.url } as const;
  const report = { source, ok: true, durationMs: 5, ...NO_CHANGE, added: 1 };
  const one = `?source=${encodeURIComponent(POD.url)}`;

  it('polls and reports', async () => {
    test.node.sync = async (sourceUrl) => (sourceUrl === undefined || sourceUrl === POD.url ? [report] : []);
    const { source: _source, ...figures } = report;
    for (const query of ['', one])
      expect(await (await sync(query)).json()).toEqual([{ url: POD.url, kind: 'pod', ...figures }]);
    expect((await sync('?source=https://nobody.example/')).status).toBe(404);
  });

  it('accepts, for one source, that it says much less than before, and writes that down with what came of it', async () => {
    const asked: unknown[] = [];
    test.node.sync = async (...request) => {
      asked.push(request);
      return [{ ...report, removed: 30, held: { from: 100, to: 3 } }];
    };
    expect(await (await sync(one)).json()).toMatchObject([{ held: { from: 100, to: 3 } }]);
    expect(test.audited).toEqual([]);
    await sync(`${one}&accept=shrink`);
    expect(asked).toEqual([
      [POD.url, { acceptShrink: false }],
      [POD.url, { acceptShrink: true }],
    ]);
    for (const wrong of ['?accept=shrink', `${one}&accept=all`, `${one}&accept=`, `${one}&source=x`])
      expect((await sync(wrong)).status).toBe(400);
    expect(asked).toHaveLength(2);
    test.node.sync = async () => [{ ...report, ok: false, error: 'no answer' }];
    await sync(`${one}&accept=shrink`);
    const accepted = 'accepted that a source says less:';
    expect(test.audited).toEqual([
      ['operator', `${accepted} 0 components removed; it could not be read`, POD.url],
      ['operator', `${accepted} 30 components removed`, POD.url],
    ]);
  });

  it("is the operator's", async () => {
    expect((await sync('', {})).status).toBe(401);
    expect((await sync('', { authorization: 'Bearer wrong' })).status).toBe(403);
    test = await createTestApp();
    const response = await sync();
    expect([response.status, await response.text()]).toEqual([
      ...[403, expect.stringContaining('REGISTRY_OPERATOR_TOKEN')],
    ]);
  });

  it('that fails is logged once, with its cause, and tells nothing of the inside', async () => {
    test.node.sync = async () => {
      throw new Error('cannot write /secret/path', { cause: new Error('disk full') });
    };
    const response = await sync('?source=secret');
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('secret');
    const fields = { method: 'POST', path: '/sync' };
    expect(test.logged).toMatchObject([{ message: 'cannot write /secret/path: disk full', fields }]);
  });
});

describe('POST /discovery', () => {
  const url = 'https://pod.example/';

  it('approves, rejects and forgets', async () => {
    for (const decision of ['approve', 'reject', 'forget'])
      expect((await decide({ url, decision })).status).toBe(204);
    expect(test.node.decisions).toEqual([
      [url, 'approve'],
      [url, 'reject'],
      [url, undefined],
    ]);
  });

  it.each<[unknown, Record<string, string>, number]>([
    [{ url, decision: 'maybe' }, AUTH, 422],
    [{ url: 'javascript:alert(1)', decision: 'approve' }, AUTH, 422],
    [{ url }, AUTH, 422],
    [{ url, decision: 'approve', more: 1 }, AUTH, 422],
    [[], AUTH, 422],
    [{ url, decision: 'approve' }, {}, 401],
    [{ url, decision: 'approve' }, { authorization: 'Bearer other' }, 403],
  ])('refuses %j with %j', async (body, headers, status) => {
    expect((await decide(body, headers)).status).toBe(status);
    expect(test.node.decisions).toEqual([]);
  });
});

it('what was written, and by whom, is logged', async () => {
  const from = { incoming: { socket: { remoteAddress: '192.0.2.1' } } };
  await test.app.request('/component', postJson([{ uri: URI, label: 'A' }]), from);
  await test.app.request('/component', postJson([{ uri: URI, label: 'B' }], AUTH), from);
  await test.app.request(`/c/${encodeURIComponent(URI)}`, { method: 'DELETE', headers: AUTH });
  await decide({ url: 'https://p.example/', decision: 'approve' });
  expect(test.audited).toEqual([
    ['operator', 'approved an address', 'https://p.example/'],
    ['operator', 'removed a component', URI],
    ['operator', 'posted 1 component', URI],
    ['anybody at 192.0.2.1', 'posted 1 component', URI],
  ]);
});
