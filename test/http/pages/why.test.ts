import { beforeEach, describe, expect, it } from 'vitest';
import { LOCAL, SAMPLES, type Source } from '../../../src/component/source.js';
import { precedenceOf } from '../../../src/core/precedence.js';
import { REFUSAL_REASONS, type RefusalReason } from '../../../src/core/take.js';
import { REFUSAL_ADVICE } from '../../../src/explain/refusal.js';
import type { SourceStatus } from '../../../src/explain/source-status.js';
import { invalidComponents } from '../../../src/sync/invalid-components.js';
import { component, createTestApp, type TestApp } from '../../acceptance/adapters/registry-app.js';

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
  test = await createTestApp({}, {}, { precedence });
});

interface Answer {
  readonly served: boolean;
  readonly statements: {
    source: Source;
    document: string;
    since: string;
    lastSeen?: string;
    nextPoll?: string;
    served: boolean;
    rule: string;
  }[];
  readonly invalid: { source: Source; document: string; reasons: string[] }[];
  readonly removed: { source: Source; document: string; at: string }[];
  readonly refused: { url: string; reason: RefusalReason }[];
  readonly elsewhere?: Record<string, number>;
  readonly source?: { url: string; kind: string; state: string; lastSuccess?: string };
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
      'configured pods come before what was posted to the node',
    ],
    [
      'the node itself and a learned pod',
      LOCAL,
      LEARNED,
      'what was posted to the node comes before learned pods',
    ],
    [
      'a configured peer and a learned pod',
      PEER,
      LEARNED,
      'what configured peers say for themselves comes before learned pods',
    ],
    [
      'a configured peer and a learned one',
      PEER,
      LEARNED_PEER,
      'what configured peers say for themselves comes before learned peers',
    ],
    [
      'two configured pods',
      POD,
      SECOND_POD,
      `${POD.url} stands before ${SECOND_POD.url} in the configuration`,
    ],
    ['a learned peer and a sample', LEARNED_PEER, SAMPLES, 'learned peers come before samples'],
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

  it('says when a source was read last, and when it is read next', async () => {
    await say(POD);
    test.node.status = [status(POD, { lastSuccess: 1000, nextAttempt: 2000 })];
    expect((await why()).statements).toMatchObject([
      { lastSeen: '1970-01-01T00:00:01.000Z', nextPoll: '1970-01-01T00:00:02.000Z' },
    ]);
    expect(await page()).toContain('last read <time datetime="1970-01-01T00:00:01.000Z">');
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

  it('its description breaks a rule, and has a uri of which only the beginning is kept', async () => {
    const uri = `https://cdn.example/${'x'.repeat(500)}.js`;
    const invalid = [{ document: `${POD.url}doc`, subject: uri.slice(0, 200), reasons: ['label'] }];
    test.node.status = [status(POD, { invalid })];
    expect((await why(uri)).invalid).toHaveLength(1);
    expect((await why('https://cdn.example/x.js')).invalid).toEqual([]);
  });

  it('so many descriptions break a rule that not all are named', async () => {
    const [described] = invalidComponents([], 7) ?? [];
    if (described)
      test.node.status = [status(POD, { invalid: [{ document: `${POD.url}doc`, ...described }] })];
    expect((await why()).unread.map(({ url }) => url)).toEqual([POD.url]);
  });

  it('it was served, and its pod is not read any more', async () => {
    await say(LEARNED);
    await test.registry.forget(LEARNED);
    const refusal = { url: LEARNED.url, kind: 'pod', via: PEER.url, reason: 'rejected' } as const;
    test.node.refusals = { counts: { rejected: 1 }, unintendedBy: {}, examples: [refusal] };
    const { removed, refused } = await why();
    expect([removed, refused]).toEqual([[expect.objectContaining({ document: LEARNED.url })], [refusal]]);
    expect(await page()).toContain('where it was described is not read any more');
  });

  it('it may be described at addresses that nobody here has read', async () => {
    test.node.refusals = { counts: { 'beyond-depth': 3, denied: 1 }, unintendedBy: {}, examples: [] };
    expect((await why()).elsewhere).toEqual({ 'beyond-depth': 3, denied: 1 });
    expect(await page()).toContain('3 addresses</a>: farther away than discovery.depth');
    await say(POD);
    expect(await why()).not.toHaveProperty('elsewhere');
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
    ['is held', { state: 'held', notice: 'held' }],
    ['waits for its first poll', { state: 'waiting' }],
    ['has more than is kept', { state: 'limited', omitted: { components: 5, documents: 1 } }],
    ['has a document that cannot be read', { failing: [{ url: `${POD.url}doc`, error: 'broken' }] }],
  ])('a source that %s may describe it', async (_, more) => {
    test.node.status = [status(PEER, {}), status(POD, more)];
    const { unread } = await why();
    expect(unread.map(({ url }) => url)).toEqual([POD.url]);
    expect(await page()).toContain('Not everything could be read');
  });

  it.each([...REFUSAL_REASONS])('where it is described is not read: %s', async (reason) => {
    const refusal = { url: 'https://refused.example/', kind: 'pod', via: PEER.url } as const;
    test.node.refusals = {
      counts: { [reason]: 1 },
      unintendedBy: {},
      examples: [
        { ...refusal, reason },
        { ...refusal, url: 'https://refused.example.other/', reason },
      ],
    };
    const uri = 'https://refused.example/components/a.js';
    expect((await why(uri)).refused).toMatchObject([{ url: refusal.url, reason }]);
    expect(await page(uri)).toContain(REFUSAL_ADVICE[reason]);
  });

  it('nothing that is read describes it', async () => {
    expect(await why()).toEqual({
      uri: URI,
      ...{ served: false, statements: [], invalid: [], removed: [], refused: [], elsewhere: {}, unread: [] },
    });
    expect(await page()).toContain('nothing that this node reads describes it');
  });
});

describe('a source, or a document, that is asked for instead of a component', () => {
  it.each([
    ['a pod', POD, POD.url],
    ['a pod, without the slash', POD, POD.url.slice(0, -1)],
    ['a peer', PEER, PEER.url],
    ['a document of a pod', POD, `${POD.url}doc.ttl`],
  ])('%s', async (_, source, uri) => {
    const invalid = [{ document: `${POD.url}doc.ttl`, subject: URI, reasons: ['label'] }];
    test.node.status = [status(PEER, {}), status(POD, { invalid, lastSuccess: 1000 })].map((one) =>
      one.url === source.url ? { ...one, state: 'failing' as const, error: 'no answer' } : one,
    );
    const answer = await why(uri);
    expect(answer.source).toMatchObject({ ...source, state: 'failing', error: 'no answer' });
    expect(answer.invalid).toHaveLength(uri.endsWith('.ttl') ? 1 : 0);
    expect(await page(uri)).toContain('no answer');
  });

  it('that is not read, and why', async () => {
    const refusal = {
      url: 'https://refused.example/',
      kind: 'pod',
      via: PEER.url,
      reason: 'over-cap',
    } as const;
    test.node.refusals = { counts: { 'over-cap': 1 }, unintendedBy: {}, examples: [refusal] };
    expect(await why('https://refused.example/doc.ttl')).toMatchObject({ refused: [refusal] });
    expect(await page('https://refused.example/')).toContain('where it may be described is not read');
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
    expect((await ask('x'.repeat(1_000_000))).status).toBe(422);
    expect((await test.app.request('/why', { headers: { accept: 'text/html' } })).status).toBe(200);
  });

  it('is asked from a search without result, and from what renders data', async () => {
    const get = async (path: string) =>
      (await test.app.request(path, { headers: { accept: 'text/html' } })).text();
    expect(await get('/?q=nothing+like+this')).toContain('<a href="/why">why a component is not here</a>');
    expect(await get(`/?q=${encodeURIComponent(URI)}`)).toContain(
      `href="/why?uri=${encodeURIComponent(URI)}"`,
    );
    expect(await get('/?q=javascript:alert(1)')).toContain('<a href="/why">');
    expect(await get('/data?url=https://d.example/&shapes=urn:x:Nothing')).toContain('<a href="/why">');
  });

  it('is asked from each line of the network page', async () => {
    const about = [POD.url, `${POD.url}broken.ttl`, `${POD.url}invalid`, 'https://refused.example/'];
    test.node.status = [
      status(POD, {
        failing: [{ url: about[1] ?? '', error: 'broken' }],
        invalid: [{ document: `${POD.url}doc.ttl`, subject: about[2] ?? '', reasons: ['label'] }],
      }),
    ];
    const refusal = { url: about[3] ?? '', kind: 'pod', via: PEER.url, reason: 'denied' } as const;
    test.node.refusals = { counts: { denied: 1 }, unintendedBy: {}, examples: [refusal] };
    const network = await (await test.app.request('/network', { headers: { accept: 'text/html' } })).text();
    for (const uri of about) expect(network).toContain(`href="/why?uri=${encodeURIComponent(uri)}"`);
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
