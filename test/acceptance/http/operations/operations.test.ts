import { beforeEach, describe, expect, it } from 'vitest';
import type { SourceStatus } from '../../../../src/explain/source-status.js';
import { NO_CHANGE } from '../../../support/promised.js';
import { BASE, component, createTestApp, type TestApp, TOKEN } from '../../adapters/registry-app.js';

const POD: SourceStatus = {
  url: 'https://pod.example/',
  kind: 'pod',
  configured: true,
  hops: 0,
  via: [],
  state: 'failing',
  lastAttempt: Date.UTC(2026, 0, 1),
  failingSince: Date.UTC(2026, 0, 1),
  failures: 3,
  components: 2,
  documents: 2,
  failing: [],
  invalid: [
    { document: 'https://pod.example/x', subject: 'https://c.example/x.js', reasons: ['label is missing'] },
  ],
  error: 'connection refused',
};

let test: TestApp;
beforeEach(async () => {
  test = await createTestApp({ operatorToken: TOKEN });
});
const get = (path: string, headers: Record<string, string> = {}) => test.app.request(path, { headers });

describe('/health', () => {
  it('stays 200 while every source fails, since the last good data is served, and says so', async () => {
    test.node.activity = { ...test.node.activity, allFail: true };
    const health = await get('/health');
    expect([health.status, await health.json()]).toEqual([200, { status: 'serving', sources: 'failing' }]);
  });

  it.each([
    ['serving', 200],
    ['stopping', 503],
  ] as const)('%s is %i', async (health, status) => {
    test.node.health = health;
    const response = await get('/health');
    expect([response.status, await response.json()]).toEqual([status, { status: health }]);
  });
});

describe('/status', () => {
  it('tells about the node and each source', async () => {
    await test.say({ kind: 'pod', url: POD.url }, [
      component('https://c.example/a.js'),
      component('https://c.example/b.js'),
    ]);
    await test.registry.upsertLocal([component('https://c.example/a.js', { label: 'Own' })]);
    test.node.status = [POD];
    test.node.now += 90_000;
    expect(await (await get('/status')).json()).toEqual({
      health: 'serving',
      refused: { counts: {}, examples: [] },
      pins: { mode: 'configured', all: 0, changed: 0, examples: [], failing: [] },
      node: '127.0.0.1:3000',
      version: '1.2.3',
      baseUrl: BASE,
      mode: 'registry',
      write: 'open',
      uptimeSeconds: 90,
      revision: { epoch: expect.any(String), number: 3, since: '2026-01-01T12:00:00.000Z' },
      counts: { components: 2, pods: 1, peers: 0, failing: 1 },
      storage: { state: 'ok', failing: [], unstoredPolls: 0 },
      events: [],
      sources: [
        {
          ...POD,
          lastAttempt: '2026-01-01T00:00:00.000Z',
          failingSince: '2026-01-01T00:00:00.000Z',
          // A pod that is not configured comes after the node itself, so one of its two is not shown.
          served: 1,
        },
      ],
    });
  });
});

describe('a source that is held, and a peer that is followed', () => {
  const since = Date.UTC(2026, 0, 2);
  const shrink = { since, polls: 1, from: 100, to: 3 };
  const following = {
    by: 'feed',
    since,
  } as const;

  it('is told by /status and /metrics', async () => {
    test.node.status = [{ ...POD, state: 'held', shrink, notice: 'It had 100 components.', following }];
    const iso = '2026-01-02T00:00:00.000Z';
    const { sources } = (await (await get('/status')).json()) as { sources: unknown[] };
    expect(sources).toMatchObject([{ state: 'held', shrink: { ...shrink, since: iso } }]);
    expect(sources).toMatchObject([{ following: { ...following, since: iso } }]);
    expect(await (await get('/metrics')).text()).toContain(
      'registry_source_held_components{kind="pod",url="https://pod.example/"} 97',
    );
  });
});

describe('a database that cannot be written', () => {
  it('leaves the node in service, and is told by /health, /status and /metrics', async () => {
    const since = Date.UTC(2026, 0, 1);
    test.node.failingStores = [{ store: 'registry', kind: 'full', since, error: 'no space left' }];
    const health = await get('/health');
    expect([health.status, await health.json()]).toEqual([200, { status: 'serving', storage: 'failing' }]);
    const statuses = ['reads', 'writes', 'tea'].map(
      async (need) => (await get(`/health?need=${need}`)).status,
    );
    expect(await Promise.all(statuses)).toEqual([200, 503, 422]);
    const status = (await (await get('/status')).json()) as { storage: object };
    expect(status.storage).toEqual({
      state: 'failing',
      failing: [{ store: 'registry', since: '2026-01-01T00:00:00.000Z', error: 'no space left' }],
      unstoredPolls: 0,
    });
    expect(await (await get('/metrics')).text()).toMatch(/^registry_failing_stores 1$/m);
  });
});

describe('POST /sync', () => {
  const report = {
    source: { kind: 'pod' as const, url: POD.url },
    ok: true,
    durationMs: 5,
    ...NO_CHANGE,
    added: 1,
  };
  const sync = (path: string, headers: Record<string, string> = { authorization: `Bearer ${TOKEN}` }) =>
    test.app.request(path, { method: 'POST', headers });

  it('polls and reports', async () => {
    test.node.sync = async (sourceUrl) => (sourceUrl === undefined || sourceUrl === POD.url ? [report] : []);
    const { source: _source, ...figures } = report;
    const expected = [{ url: POD.url, kind: 'pod', ...figures }];
    expect(await (await sync('/sync')).json()).toEqual(expected);
    expect(await (await sync(`/sync?source=${encodeURIComponent(POD.url)}`)).json()).toEqual(expected);
    expect((await sync('/sync?source=https://nobody.example/')).status).toBe(404);
  });

  it('accepts, for one source, that it says much less than before', async () => {
    const asked: unknown[] = [];
    test.node.sync = async (...request) => {
      asked.push(request);
      return [{ ...report, held: { from: 100, to: 3 } }];
    };
    const source = `source=${encodeURIComponent(POD.url)}`;
    expect(await (await sync(`/sync?${source}`)).json()).toMatchObject([{ held: { from: 100, to: 3 } }]);
    await sync(`/sync?${source}&accept=shrink`);
    expect(asked).toEqual([
      [POD.url, { acceptShrink: false }],
      [POD.url, { acceptShrink: true }],
    ]);
    expect((await sync('/sync?accept=shrink')).status).toBe(400);
    expect((await sync(`/sync?${source}&accept=all`)).status).toBe(400);
    expect(asked).toHaveLength(2);
  });

  it("is the operator's", async () => {
    expect((await sync('/sync', {})).status).toBe(401);
    expect((await sync('/sync', { authorization: 'Bearer wrong' })).status).toBe(403);
    test = await createTestApp();
    const response = await sync('/sync');
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({
      detail: expect.stringContaining('REGISTRY_OPERATOR_TOKEN'),
    });
  });
});

describe('/metrics', () => {
  it('has figures of requests, catalog and sources', async () => {
    await test.registry.upsertLocal([component('https://c.example/a.js')]);
    test.node.status = [{ ...POD, url: 'https://pod.example/"\n\\' }];
    await get('/component');
    await get('/nothing');
    const response = await get('/metrics');
    const text = await response.text();
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(text).toContain('registry_components 1\n');
    expect(text).toContain('registry_revision 2\n');
    expect(text).toContain('registry_source_components{kind="pod",url="https://pod.example/\\"\\n\\\\"} 2\n');
    expect(text).toContain(
      'registry_http_request_duration_seconds_count{route="/component",method="GET",status="200"} 1\n',
    );
    expect(text).toContain('route="none",method="other",status="404"');
    expect(text).toContain('registry_http_requests_in_flight 1\n');
  });
});

describe('an error of the node itself', () => {
  it('is logged once, with its cause, and tells nothing of the inside', async () => {
    test = await createTestApp({ operatorToken: TOKEN });
    test.node.sync = async () => {
      throw new Error('cannot write /secret/path', { cause: new Error('disk full') });
    };
    const response = await test.app.request('/sync?source=secret', {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('secret');
    expect(test.logged).toHaveLength(1);
    expect(test.logged[0]).toMatchObject({
      message: 'cannot write /secret/path: disk full',
      fields: { method: 'POST', path: '/sync' },
    });
  });
});
