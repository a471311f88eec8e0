import { beforeEach, describe, expect, it } from 'vitest';
import { LOCAL, precedenceOf, type Source } from '../../../src/component/precedence.js';
import type { RefusalReason } from '../../../src/registry/refusal.js';
import type { SourceStatus } from '../../../src/registry/source-status.js';
import { component, createTestApp, type TestApp } from '../../support/registry-app.js';

const URI = 'https://cdn.example/a.js';
const POD: Source = { kind: 'pod', url: 'https://configured.example/' };
const SECOND_POD: Source = { kind: 'pod', url: 'https://a-second.example/' };
const PEER: Source = { kind: 'peer', url: 'https://peer.example' };
const LEARNED: Source = { kind: 'pod', url: 'https://learned.example/' };
const OTHER_LEARNED: Source = { kind: 'pod', url: 'https://other-learned.example/' };
const LEARNED_PEER: Source = { kind: 'peer', url: 'https://learned-peer.example' };
const precedence = precedenceOf({ pods: [POD.url, SECOND_POD.url], peers: [PEER.url] });

let test: TestApp;
beforeEach(async () => {
  test = await createTestApp({}, { precedence }, { precedence });
});

interface Answer {
  readonly served: boolean;
  readonly statements: { source: Source; document: string; since: string; served: boolean; rule: string }[];
  readonly invalid: { source: Source; document: string; reasons: string[] }[];
  readonly removed: { source: Source; document: string; at: string }[];
  readonly refused: { url: string; reason: RefusalReason; note?: string }[];
  readonly unread: { url: string; state: string; error?: string; documents: { url: string }[] }[];
}
const ask = (uri: string, accept = 'application/json') =>
  test.app.request(`/why?uri=${encodeURIComponent(uri)}`, { headers: { accept } });
const why = async (uri = URI) => (await (await ask(uri)).json()) as Answer;
const page = async (uri = URI) => (await ask(uri, 'text/html')).text();

const say = (source: Source, label = source.url) => test.say(source, [component(URI, { label })]);
const status = (source: Source, more: Partial<SourceStatus>): SourceStatus => ({
  ...source,
  ...{ configured: true, hops: 0, via: [], state: 'ok', failures: 0 },
  ...{ components: 0, documents: 0, invalid: [], failing: [] },
  ...more,
});

describe('why a description is served, or another one', () => {
  it.each<[string, Source, Source, string]>([
    [
      'a configured pod and the node itself',
      POD,
      LOCAL,
      'configured pods come before what was posted to this node',
    ],
    [
      'the node itself and a learned pod',
      LOCAL,
      LEARNED,
      'what was posted to this node come before learned pods',
    ],
    ['a learned pod and a configured peer', LEARNED, PEER, 'learned pods come before configured peers'],
    ['a configured peer and a learned one', PEER, LEARNED_PEER, 'configured peers come before learned peers'],
    [
      'two configured pods',
      POD,
      SECOND_POD,
      `${POD.url} stands before ${SECOND_POD.url} in the configuration`,
    ],
    [
      'two learned pods',
      LEARNED,
      OTHER_LEARNED,
      'of two learned pods, the one whose URL sorts first is served',
    ],
  ])('%s', async (_, winner, loser, rule) => {
    for (const source of [loser, winner]) {
      if (source === LOCAL) await test.registry.upsertLocal([component(URI)]);
      else await say(source);
    }
    const { served, statements } = await why();
    expect(served).toBe(true);
    expect(statements.map((one) => [one.source, one.served])).toEqual([
      [winner, true],
      [loser, false],
    ]);
    expect(statements[1]?.rule).toBe(rule);
    expect(await page()).toContain('It is served');
  });

  it('two documents of one source', async () => {
    await test.registry.commit({
      source: POD,
      documents: ['a', 'b'].map((name) => ({
        url: POD.url + name,
        components: [component(URI)],
        record: {},
      })),
      record: { failures: 0 },
    });
    expect((await why()).statements[1]?.rule).toBe('another document of the same source comes first');
  });
});

describe('why nothing is served', () => {
  it('its description breaks a rule', async () => {
    const invalid = [{ document: `${POD.url}doc`, subject: URI, reasons: ['label: must be a string'] }];
    test.node.status = [status(POD, { invalid })];
    expect(await why()).toMatchObject({
      served: false,
      invalid: [{ source: POD, document: `${POD.url}doc`, reasons: ['label: must be a string'] }],
    });
    expect(await page()).toContain('breaks a rule');
  });

  it('it was withdrawn', async () => {
    await say(POD);
    test.node.now += 60_000;
    await test.say(POD, []);
    const { served, removed } = await why();
    expect([served, removed]).toEqual([
      false,
      [{ source: POD, document: POD.url, at: new Date(test.node.now).toISOString() }],
    ]);
    expect(await page()).toContain('has been withdrawn');
  });

  it.each<[string, Partial<SourceStatus>]>([
    ['fails', { state: 'failing', error: 'no answer' }],
    ['is held', { state: 'held', notice: 'held until', heldUntil: 5 }],
    ['waits for its first poll', { state: 'waiting' }],
    ['has more than is kept', { state: 'limited', omitted: { components: 5, documents: 1 } }],
    ['has a document that cannot be read', { failing: [{ url: `${POD.url}doc`, error: 'broken' }] }],
  ])('a source that %s may describe it', async (_, more) => {
    test.node.status = [status(PEER, {}), status(POD, more)];
    const { unread } = await why();
    expect(unread.map(({ url }) => url)).toEqual([POD.url]);
    expect(await page()).toContain('Not everything could be read');
  });

  it.each<RefusalReason>([
    'denied',
    'not-allowed',
    'private-address',
    'rejected',
    'not-approved',
    'beyond-depth',
    'over-cap',
  ])('where it is described is not read: %s', async (reason) => {
    const refusal = { url: 'https://refused.example/', kind: 'pod', via: PEER.url } as const;
    test.node.refusals = {
      counts: { [reason]: 1 },
      unmeantBy: {},
      examples: [
        { ...refusal, reason, note: 'as I say' },
        { ...refusal, url: 'https://refused.example.other/', reason },
      ],
    };
    const uri = 'https://refused.example/components/a.js';
    expect((await why(uri)).refused).toMatchObject([{ url: refusal.url, reason, note: 'as I say' }]);
    expect(await page(uri)).toContain('as I say');
  });

  it('nothing that is read describes it', async () => {
    expect(await why()).toEqual({
      uri: URI,
      ...{ served: false, statements: [], invalid: [], removed: [], refused: [], unread: [] },
    });
    expect(await page()).toContain('nothing that this node reads describes it');
  });
});

describe('what is asked', () => {
  it.each(['javascript:alert(1)', '<script>alert(1)</script>', 'x'])('may be anything: %s', async (uri) => {
    const text = await page(uri);
    expect(text).not.toContain('<script>alert');
    expect(text).not.toContain('href="javascript');
    expect((await ask(uri)).status).toBe(200);
  });

  it('must be there and is not longer than a uri', async () => {
    expect((await test.app.request('/why')).status).toBe(422);
    expect((await ask('x'.repeat(2049))).status).toBe(422);
    expect((await test.app.request('/why', { headers: { accept: 'text/html' } })).status).toBe(200);
  });

  it('is asked from where a component is missing, and from its page', async () => {
    const link = `/why?uri=${encodeURIComponent(URI)}`;
    const get = (accept: string) =>
      test.app.request(`/c/${encodeURIComponent(URI)}`, { headers: { accept } });
    expect(await (await get('application/json')).text()).toContain(link);
    expect(await (await get('text/html')).text()).toContain(link);
    await say(POD);
    expect(await (await get('text/html')).text()).toContain(link);
  });
});
