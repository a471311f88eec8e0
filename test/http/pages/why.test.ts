import { beforeEach, describe, expect, it } from 'vitest';
import { LOCAL, SAMPLES, type Source } from '../../../src/component/source.js';
import { withUnnamed } from '../../../src/core/document-record.js';
import { REFUSAL_ADVICE, REFUSAL_REASONS, type RefusalReason } from '../../../src/core/refusal.js';
import type { SourceStatus } from '../../../src/explain/source-status.js';
import { component, createTestApp, type TestApp } from '../../acceptance/adapters/registry-app.js';
import { takenFrom } from '../../support/promised.js';
import { sourceStatus } from '../../support/source-status.js';

const URI = 'https://cdn.example/a.js';
const POD: Source = { kind: 'pod', url: 'https://configured.example/' };
const SECOND_POD: Source = { kind: 'pod', url: 'https://a-second.example/' };
const PEER: Source = { kind: 'peer', url: 'https://peer.example' };
const LEARNED: Source = { kind: 'pod', url: 'https://learned.example/' };
const OTHER_LEARNED: Source = { kind: 'pod', url: 'https://other-learned.example/' };
const LEARNED_PEER: Source = { kind: 'peer', url: 'https://learned-peer.example' };
const DOCUMENT = `${POD.url}doc.ttl`;
const order = { pods: [POD.url, SECOND_POD.url], peers: [PEER.url] };

let test: TestApp;
beforeEach(async () => {
  test = await createTestApp({}, {}, { order });
});

const get = (path: string, accept = 'text/html') => test.app.request(path, { headers: { accept } });
const pathOf = (uri: string) => `/why?uri=${encodeURIComponent(uri)}`;
const why = async (uri = URI) => (await get(pathOf(uri), 'application/json')).json();
const text = async (path: string) => (await get(path)).text();
const page = (uri = URI) => text(pathOf(uri));
const say = (source: Source) => test.say(source, [component(URI, { label: source.url })]);
const status = (source: Source, more: Partial<SourceStatus> = {}) => sourceStatus({ ...source, ...more });
const refuse = (reason: RefusalReason, ...urls: string[]) => {
  const examples = urls.map((url) => ({ url, kind: 'pod', via: PEER.url, reason }) as const);
  test.node.refusals = { counts: { [reason]: urls.length }, examples };
};

describe('why a description is served, or another one', () => {
  const SELF = 'what configured peers say for themselves';
  it.each<[Source, Source, string]>([
    [POD, LOCAL, 'configured pods come before what was posted to the node'],
    [LOCAL, LEARNED, 'what was posted to the node comes before learned pods'],
    [PEER, LEARNED, `${SELF} comes before learned pods`],
    [PEER, LEARNED_PEER, `${SELF} comes before learned peers`],
    [POD, SECOND_POD, `${POD.url} stands before ${SECOND_POD.url} in the configuration`],
    [LEARNED_PEER, SAMPLES, 'learned peers come before samples'],
    [LEARNED, OTHER_LEARNED, 'of two learned pods, the one whose URL sorts first is served'],
  ])('%o before %o: %s', async (winner, loser, rule) => {
    for (const source of [loser, winner])
      await (source === LOCAL ? test.registry.upsertLocal([component(URI)]) : say(source));
    expect(await why()).toMatchObject({
      served: true,
      statements: [
        { source: winner, served: true },
        { source: loser, served: false, rule },
      ],
    });
    expect(await page()).toContain('It is served');
  });

  it('says when a source was read last, and when it is read next', async () => {
    await say(POD);
    test.node.status = [status(POD, { lastSuccess: 1000, nextAttempt: 2000 })];
    const [lastSeen, nextPoll] = ['1970-01-01T00:00:01.000Z', '1970-01-01T00:00:02.000Z'];
    expect(await why()).toMatchObject({ statements: [{ lastSeen, nextPoll }] });
    expect(await page()).toContain(`last read <time datetime="${lastSeen}">`);
  });

  it('two documents of one source', async () => {
    const documents = ['a', 'b'].map((name) => ({
      ...{ url: POD.url + name, components: [component(URI)], record: {} },
    }));
    await test.registry.commit({ source: POD, documents, record: { failures: 0 } });
    const rule = 'another document of the same source comes first';
    expect(await why()).toMatchObject({ statements: [{}, { rule }] });
  });
});

describe('why nothing is served', () => {
  it('its description breaks a rule, also where its uri is so long that only the beginning is kept', async () => {
    const long = `https://cdn.example/${'x'.repeat(500)}.js`;
    for (const uri of [URI, long]) {
      const [document, reasons] = [DOCUMENT, ['label: must be a string']];
      test.node.status = [status(POD, { invalid: [{ document, subject: uri.slice(0, 200), reasons }] })];
      expect(await why(uri)).toMatchObject({ served: false, invalid: [{ source: POD, document, reasons }] });
      expect(await page(uri)).toContain('breaks a rule');
    }
    expect(await why('https://cdn.example/x.js')).toMatchObject({ invalid: [] });
  });

  it('it was withdrawn', async () => {
    await say(POD);
    test.node.now += 60_000;
    await test.say(POD, []);
    const removed = [{ source: POD, document: POD.url, at: new Date(test.node.now).toISOString() }];
    expect(await why()).toMatchObject({ served: false, removed });
    expect(await page()).toContain('has been withdrawn');
  });

  it('it was served, and its pod is not read any more', async () => {
    await say(LEARNED);
    await test.registry.forget(LEARNED);
    refuse('rejected', LEARNED.url);
    const { url } = LEARNED;
    expect(await why()).toMatchObject({
      removed: [{ document: url }],
      refused: [{ url, reason: 'rejected' }],
    });
    expect(await page()).toContain('where it was described is not read any more');
  });

  it('it may be described at addresses that nobody here has read', async () => {
    test.node.refusals = { counts: { 'beyond-depth': 3, denied: 1 }, examples: [] };
    expect(await why()).toMatchObject({ elsewhere: { 'beyond-depth': 3, denied: 1 } });
    expect(await page()).toMatch(/3 addresses<\/a>: farther away than discovery.depth/);
    await say(POD);
    expect(await why()).not.toHaveProperty('elsewhere');
  });

  const [unnamed] = withUnnamed([], 7) ?? [];
  it.each<[string, Partial<SourceStatus>]>([
    ['fails', { state: 'failing', error: 'no answer' }],
    ['is held', { state: 'held', notice: 'held' }],
    ['waits for its first poll', { state: 'waiting' }],
    ['has more than is kept', { state: 'limited', omitted: { components: 5, documents: 1 } }],
    ['has a document that cannot be read', { failing: [{ url: DOCUMENT, error: 'broken' }] }],
    [
      'has more invalid descriptions than are named',
      { invalid: unnamed ? [{ document: '', ...unnamed }] : [] },
    ],
  ])('a source that %s may describe it', async (_, more) => {
    test.node.status = [status(PEER), status(POD, more)];
    expect(await why()).toMatchObject({ unread: [{ url: POD.url }] });
    expect(await page()).toContain('Not everything could be read');
  });

  it.each([...REFUSAL_REASONS])('where it is described is not read: %s', async (reason) => {
    const url = 'https://refused.example/';
    refuse(reason, url, 'https://refused.example.other/');
    for (const uri of [`${url}components/a.js`, url]) {
      expect(await why(uri)).toMatchObject({ refused: [{ url, reason }] });
      expect(await page(uri)).toContain(REFUSAL_ADVICE[reason]);
    }
  });

  it('nothing that is read describes it', async () => {
    const none = { statements: [], invalid: [], removed: [], refused: [], elsewhere: {}, unread: [] };
    expect(await why()).toEqual({ uri: URI, served: false, ...none });
    expect(await page()).toContain('nothing that this node reads describes it');
  });
});

it.each([
  ['a pod', POD, POD.url],
  ['a pod, without the slash', POD, POD.url.slice(0, -1)],
  ['a peer', PEER, PEER.url],
  ['a document of a pod', POD, DOCUMENT],
])('%s is told of when it is asked for instead of a component', async (_, source, uri) => {
  const invalid = [{ document: DOCUMENT, subject: URI, reasons: ['label'] }];
  test.node.status = [status(PEER), status(POD, { invalid })].map((one) =>
    one.url === source.url ? { ...one, state: 'failing' as const, error: 'no answer' } : one,
  );
  expect(await why(uri)).toMatchObject({
    source: { ...source, state: 'failing', error: 'no answer' },
    invalid: uri === DOCUMENT ? [{ document: DOCUMENT }] : [],
  });
  expect(await page(uri)).toContain('no answer');
});

it('how a source fares is told where it may explain an absence, and of nothing that is served', async () => {
  test.node.status = [status(POD, { state: 'failing', error: 'no answer' })];
  expect(await page()).toContain('no answer');
  await say(PEER);
  expect(await page()).not.toContain('no answer');
});

it('a description that a peer holds is told of by whose it is, and not by the name of its graph', async () => {
  const other = 'https://other.example/x.ttl';
  const told = [
    [takenFrom(PEER.url, LOCAL.url), `what was posted to <a href="${PEER.url}"`],
    [takenFrom(LEARNED_PEER.url, takenFrom(PEER.url, SAMPLES.url)), `the samples of <a href="${PEER.url}"`],
    [takenFrom(PEER.url, other), `<a href="${other}"`],
  ] as const;
  for (const [url, words] of told) {
    const documents = [{ url, components: [component(URI)], record: {} }];
    await test.registry.commit({ source: PEER, documents, record: { failures: 0 } });
    expect(await page()).toContain(words);
    expect(await page()).not.toContain('urn:registry');
  }
});

it('a component that one source describes has come before no other', async () => {
  await say(SAMPLES);
  const { statements } = (await why()) as { statements: readonly { rule: string }[] };
  expect([...statements.map(({ rule }) => rule), await page()].join()).not.toMatch(
    /of all that describe it|first/,
  );
  await say(PEER);
  const rule = expect.stringContaining('first');
  expect(await why()).toMatchObject({ statements: [{ source: PEER, rule }, {}] });
});

describe('what is asked', () => {
  it.each(['uri', 'document'])('is corrected where it was written, when it is no %s at all', async (name) => {
    const answer = await get(`/why?${name}=rubbish`);
    expect(answer.status).toBe(422);
    expect(await answer.text()).toMatch(
      new RegExp(`role="alert">.*<input id="${name}"[^>]* value="rubbish"[^>]* aria-invalid="true"`, 's'),
    );
  });

  it('must be there and is not longer than a uri', async () => {
    for (const path of ['/why', pathOf('x'.repeat(2049)), pathOf('x'.repeat(1_000_000))])
      expect((await get(path, 'application/json')).status).toBe(422);
    expect((await get('/why')).status).toBe(200);
  });
});
