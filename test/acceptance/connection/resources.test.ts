import { beforeEach, describe, expect, test } from 'vitest';
import { change, connect, connectionPath, refreshAll, values } from '../../support/connection-requests.js';
import {
  type FakeAnswer,
  type FakeServer,
  fakeServer,
  gzipBomb,
  held,
  inTurtle,
  redirect,
} from '../../support/fake-server.js';
import { waitFor } from '../../support/wait-for.js';
import { ALICE, BOB, startService, type TestService } from '../adapters/connection-app.js';

const encode = encodeURIComponent;

let pod: FakeServer;
let node: TestService;
beforeEach(async () => {
  pod = await fakeServer();
  node = await startService();
});

const refresh = (token?: string) => refreshAll(node, token);
const listed = async () => (await node.send('/resource/')).json;
const saying = (text: string, headers = {}) => inTurtle(`<#it> <urn:p> "${text}" .`, headers);
describe('a refresh', () => {
  test('reads the source, and answers triples as the specification writes them', async () => {
    pod.on('/doc', inTurtle('<#it> <urn:p> "x", "y"@en, 1, <urn:o>, [ <urn:q> _:z ] .'));
    const uri = await connect(node, ALICE, { source: pod.url('/doc') });
    const [record, ...others] = await refresh();
    expect(others).toEqual([]);
    expect(record).toMatchObject({ uri: pod.url('/doc'), connection: uri, refreshed: String(node.time.now) });
    const subject = { value: `${pod.url('/doc')}#it`, termType: 'uri' };
    const said = (object: object) => ({ subject, predicate: 'urn:p', object });
    const xsd = 'http://www.w3.org/2001/XMLSchema#';
    const langString = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#langString';
    const b = { value: expect.any(String), termType: 'bnode' };
    const expected = [
      said({ value: 'x', termType: 'literal', dataType: `${xsd}string` }),
      said({ value: 'y', termType: 'literal', dataType: langString, language: 'en' }),
      said({ value: '1', termType: 'literal', dataType: `${xsd}integer` }),
      said({ value: 'urn:o', termType: 'uri' }),
      said(b),
      { subject: b, predicate: 'urn:q', object: b },
    ];
    expect(record.triples).toHaveLength(expected.length);
    expect(record.triples).toEqual(expect.arrayContaining(expected));
    expect((await node.send(`/resource/${encode(pod.url('/doc'))}`)).json).toEqual(record);
    expect(await listed()).toEqual([record]);
  });

  test('reads the resources of a configuration beside the source, each once, JSON-LD too', async () => {
    const jsonLd = {
      headers: { 'content-type': 'application/ld+json' },
      body: { '@id': 'urn:s', 'urn:p': 'ld' },
    };
    pod.on('/doc', saying('doc')).on('/more', jsonLd);
    const resources = [pod.url('/more'), encode(pod.url('/doc'))];
    await connect(node, ALICE, { source: pod.url('/doc'), configuration: { resources } });
    expect((await refresh()).flatMap(values).sort()).toEqual(['doc', 'ld']);
    expect(pod.count('/doc')).toBe(1);
  });

  test("of a holder's token reads only that holder's sources", async () => {
    pod.everything(saying('x'));
    await connect(node, ALICE, { source: pod.url('/alice') });
    await connect(node, BOB, { source: pod.url('/bob') });
    await refresh(await node.token(ALICE));
    expect(pod.requests.map(({ url }) => url)).toEqual(['/alice']);
  });

  test('moves no bodies when nothing has changed, and replaces what has; of a container it asks for the body', async () => {
    pod.on('/doc', inTurtle('<#it> <urn:p> "old", [] .', { etag: '"1"' }));
    pod.on('/box/', saying('member', { etag: '"1"' }));
    await connect(node, ALICE, { source: pod.url('/doc') });
    const [first] = await refresh();
    await node.service.close();
    node = await startService({ after: node });
    expect(await listed()).toEqual([first]);
    node.time.now += 1000;
    const [second] = await refresh();
    expect(pod.requests[1]?.headers['if-none-match']).toBe('"1"');
    expect(second).toEqual({ ...first, refreshed: String(node.time.now) });
    pod.on('/doc', inTurtle('<#it> <urn:p> "new" .', { etag: '"2"' }));
    expect(values((await refresh())[0])).toEqual(['new']);
    await connect(node, ALICE, { source: pod.url('/box/') });
    await refresh();
    await refresh();
    expect(pod.requests.findLast(({ url }) => url === '/box/')?.headers['if-none-match']).toBeUndefined();
  });

  test('joins one that is under way, and asks a host for two documents at once', async () => {
    let [open, most] = [0, 0];
    pod.everything(async () => {
      most = Math.max(most, ++open);
      await new Promise((resolve) => setImmediate(resolve));
      open--;
      return saying('x');
    });
    for (let i = 0; i < 12; i++) await connect(node, ALICE, { source: pod.url(`/${i}`) });
    const [one, other] = await Promise.all([refresh(), refresh()]);
    expect([one.length, other.length, pod.requests.length]).toEqual([12, 12, 12]);
    expect(most).toBeLessThanOrEqual(2);
  });

  test('that the end of the service breaks off answers 503', async () => {
    pod.on('/doc', { hang: 'answer' });
    await connect(node, ALICE, { source: pod.url('/doc') });
    const refreshing = node.send('/resource/refresh', { method: 'POST' });
    await waitFor(() => pod.requests.length === 1);
    await node.service.close();
    expect((await refreshing).status).toBe(503);
  });
});

test.each(['NOTCONNECTED', 'CONNECTING'])(
  'what a refresh leaves out because its connection is %s stays as it was',
  async (state) => {
    pod.on('/a', saying('a'));
    const uri = await connect(node, ALICE, { source: pod.url('/a') });
    const before = await refresh();
    await change(node, connectionPath(uri), { state });
    node.time.now += 1000;
    expect([await refresh(), pod.count('/a')]).toEqual([before, 1]);
  },
);

describe('what is cached goes', () => {
  const uris = async () => (await listed()).map(({ uri }: { uri: string }) => uri).sort();

  test('with its connection, and when the connection names it no more', async () => {
    pod.everything(saying('x'));
    const [a, b, c] = [pod.url('/a'), pod.url('/b'), pod.url('/c')];
    const uri = await connect(node, ALICE, { source: a, configuration: { resources: [b] } });
    await connect(node, ALICE, { source: c });
    await refresh();
    expect(await uris()).toEqual([a, b, c]);
    await change(node, connectionPath(uri), { configuration: {} });
    expect(await uris()).toEqual([a, c]);
    await node.send(connectionPath(uri), { method: 'DELETE' });
    expect(await uris()).toEqual([c]);
    expect((await node.send(`/resource/${encode(a)}`)).status).toBe(404);
  });

  // Its resource stays where the connection does, but what was read for what it was before is not kept.
  const ELSEWHERE = { source: encode('https://elsewhere.example/') };
  test.each<[string, ((source: string) => object[]) | undefined, string[], string[]]>([
    ['is revoked', undefined, [], []],
    ['gets another source', () => [ELSEWHERE], [], []],
    // It is not held for unchanged then, though the tag of the document is what it was.
    ['gets its own source back after another', (source) => [ELSEWHERE, { source }], [], ['late']],
    ['goes to another holder', () => [{ holder: encode(BOB) }], [], ['late']],
    ['is not to be read any more', () => [{ state: 'NOTCONNECTED' }], ['before'], ['before']],
    ['gets another token', () => [{ configuration: { accessToken: 'other' } }], ['before'], ['before']],
  ])('or stays as it was when the connection %s while it is read', async (_, changes, kept, next) => {
    pod.on('/doc', saying('before', { etag: '"1"' }));
    const uri = await connect(node, ALICE, { source: pod.url('/doc') });
    await refresh();
    const release = held(pod, '/doc', saying('late', { etag: '"1"' }));
    const refreshing = refresh();
    await waitFor(() => pod.count('/doc') === 2);
    for (const changed of changes?.(encode(pod.url('/doc'))) ?? [])
      await change(node, connectionPath(uri), changed);
    if (!changes) await node.send(connectionPath(uri), { method: 'DELETE' });
    release();
    expect((await refreshing).flatMap(values)).toEqual(kept);
    expect((await listed()).flatMap(values)).toEqual(kept);
    expect((await refresh()).flatMap(values)).toEqual(next);
  });
});

test('a document read through two connections is shown as the better of the two', async () => {
  pod.on('/doc', ({ headers }) => (headers.authorization ? saying('seen') : { status: 401 }));
  await connect(node, ALICE, { source: pod.url('/doc'), configuration: { accessToken: 'good' } });
  await connect(node, ALICE, { source: pod.url('/doc') });
  expect(await refresh()).toHaveLength(2);
  expect(values((await node.send(`/resource/${encode(pod.url('/doc'))}`)).json)).toEqual(['seen']);
});

describe('a source that cannot be read', () => {
  const turtle = { 'content-type': 'text/turtle', 'content-encoding': 'gzip' };
  test.each<[string, FakeAnswer, RegExp]>([
    ['is gone', { status: 404 }, /404/],
    ['has no type', { headers: {}, body: 'x' }, /no content type/],
    ['is broken', inTurtle('<#it> <urn:p> "unclosed'), /line 1|literal|Unexpected/i],
    ['says nothing', { hang: 'answer' }, /took|time|long/],
    ['is a bomb', { ...gzipBomb(1_000_000), headers: turtle }, /larger than/],
    [
      'wants a foreign context',
      { headers: { 'content-type': 'application/ld+json' }, body: { '@context': 'http://127.0.0.1:1/' } },
      /context/,
    ],
  ])('because it %s keeps its last triples, and says why it is stale', async (_, fault, why) => {
    pod.on('/doc', saying('good', { etag: '"1"' })).on('/fine', saying('fine'));
    for (const path of ['/doc', '/fine']) await connect(node, ALICE, { source: pod.url(path) });
    const ofDocument = (records: { uri: string }[]) =>
      records.find(({ uri }) => uri === pod.url('/doc')) as never;
    await refresh();
    pod.on('/doc', fault);
    const records = await refresh();
    const stale = {
      stale: true,
      error: expect.stringMatching(why),
      triples: [{ object: { value: 'good' } }],
    };
    expect(ofDocument(records)).toMatchObject(stale);
    expect(records.filter((record: object) => !('stale' in record))).toHaveLength(1);
    pod.on('/doc', saying('good again', { etag: '"2"' }));
    const healed: { stale?: true; error?: string } = ofDocument(await refresh());
    expect([values(healed as never), healed.stale, healed.error]).toEqual([
      ['good again'],
      undefined,
      undefined,
    ]);
  });

  test('from the beginning, or because it is private, is listed without triples', async () => {
    node = await startService({ allowPrivate: false });
    const sources = ['urn:not:the:web', pod.url('/doc'), 'http://169.254.169.254/latest/meta-data/'];
    for (const source of sources) await connect(node, ALICE, { source });
    const records = await refresh();
    expect(records).toHaveLength(sources.length);
    for (const record of records) expect(record).toMatchObject({ refreshed: null, stale: true, triples: [] });
    expect(pod.requests).toEqual([]);
  });
});

test('an access token goes to the origin of the source, and nowhere else', async () => {
  const elsewhere = (await fakeServer()).everything(saying('x'));
  pod.on('/doc', saying('x')).on('/away', redirect(elsewhere.url('/redirected')));
  const resources = [elsewhere.url('/other'), pod.url('/away')];
  const configuration = { accessToken: 'secret', resources };
  await connect(node, ALICE, { source: pod.url('/doc'), configuration });
  await refresh();
  const sent = ({ requests }: FakeServer) => requests.map(({ headers }) => headers.authorization);
  expect(sent(pod)).toEqual(['Bearer secret', 'Bearer secret']);
  expect(sent(elsewhere)).toEqual([undefined, undefined]);
});
