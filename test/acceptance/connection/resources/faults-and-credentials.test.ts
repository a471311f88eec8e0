import { beforeEach, describe, expect, test } from 'vitest';
import { connect, refreshAll, values } from '../../../support/connection-requests.js';
import {
  type FakeAnswer,
  type FakeServer,
  fakeServer,
  gzipBomb,
  inTurtle,
  redirect,
} from '../../../support/fake-server.js';
import { actAsIssuer } from '../../../support/pod/fake-issuer.js';
import { ALICE, type ServiceOptions, startWithPod, type TestService } from '../../adapters/connection-app.js';

let pod: FakeServer;
let node: TestService;

async function start(options: ServiceOptions = {}): Promise<void> {
  ({ pod, node } = await startWithPod(options));
}
beforeEach(() => start());

const refresh = () => refreshAll(node);

describe('a source that cannot be read', () => {
  const FAULTS: [string, FakeAnswer, RegExp][] = [
    ['is gone', { status: 404 }, /404/],
    ['fails', { status: 500 }, /500/],
    ['refuses', { status: 403 }, /403/],
    ['is HTML', { headers: { 'content-type': 'text/html' }, body: '<p>' }, /text\/html/],
    ['has no type', { headers: {}, body: 'x' }, /no content type/],
    ['is broken', inTurtle('<#it> <urn:p> "unclosed'), /line 1|literal|Unexpected/i],
    [
      'holds quoted triples',
      inTurtle('<< <urn:a> <urn:b> <urn:c> >> <urn:p> 1 .'),
      /RDF-star|Unexpected|quoted/i,
    ],
    ['is cut short', inTurtle('<#it> <urn:p> "x" .', { truncate: 'length' }), /./],
    ['says nothing', { hang: 'answer' }, /./],
    ['is too large', inTurtle(`<#it> <urn:p> "${'x'.repeat(200_000)}" .`), /./],
    [
      'is a bomb',
      { ...gzipBomb(1_000_000), headers: { 'content-type': 'text/turtle', 'content-encoding': 'gzip' } },
      /./,
    ],
    ['turns in circles', redirect('/doc'), /redirect/],
    [
      'wants a foreign context',
      { headers: { 'content-type': 'application/ld+json' }, body: { '@context': 'http://127.0.0.1:1/' } },
      /context/,
    ],
  ];

  test.each(FAULTS)(
    'because it %s keeps its last triples, and says why it is stale',
    async (_, fault, why) => {
      pod
        .on('/doc', inTurtle('<#it> <urn:p> "good" .', { etag: '"1"' }))
        .on('/fine', inTurtle('<#it> <urn:p> "fine" .'));
      await connect(node, ALICE, { source: pod.url('/doc') });
      await connect(node, ALICE, { source: pod.url('/fine') });
      await refresh();
      pod.on('/doc', fault);
      const records = await refresh();
      const stale = records.find(({ uri }: { uri: string }) => uri === pod.url('/doc'));
      expect(stale).toMatchObject({
        stale: true,
        error: expect.stringMatching(why),
        triples: [{ object: { value: 'good' } }],
      });
      expect(records.filter((record: object) => !('stale' in record))).toHaveLength(1);
      pod.on('/doc', inTurtle('<#it> <urn:p> "good again" .', { etag: '"2"' }));
      const healed = (await refresh()).find(({ uri }: { uri: string }) => uri === pod.url('/doc'));
      expect([values(healed), healed.stale, healed.error]).toEqual([['good again'], undefined, undefined]);
    },
  );

  test('from the beginning is listed without triples', async () => {
    await connect(node, ALICE, { source: 'urn:not:the:web' });
    await connect(node, ALICE, { source: 'foo://x' });
    expect(await refresh()).toMatchObject([
      { refreshed: null, stale: true, triples: [] },
      { refreshed: null, stale: true, triples: [] },
    ]);
  });

  test('because it is private is not reached, and the redirect to such a one neither', async () => {
    await start({ allowPrivate: false });
    pod.on('/doc', inTurtle('<#it> <urn:p> "inside" .'));
    await connect(node, ALICE, { source: pod.url('/doc') });
    await connect(node, ALICE, { source: 'http://169.254.169.254/latest/meta-data/' });
    const records = await refresh();
    expect(records).toMatchObject([
      { stale: true, triples: [] },
      { stale: true, triples: [] },
    ]);
    expect(pod.requests).toEqual([]);
  });
});

describe('credentials', () => {
  test('an access token goes to the origin of the source, and nowhere else', async () => {
    const elsewhere = await fakeServer();
    elsewhere.everything(inTurtle('<#it> <urn:p> 1 .'));
    pod.on('/doc', inTurtle('<#it> <urn:p> 1 .')).on('/away', redirect(elsewhere.url('/redirected')));
    const resources = [elsewhere.url('/other'), pod.url('/away')];
    await connect(node, ALICE, {
      source: pod.url('/doc'),
      configuration: { accessToken: 'secret', resources },
    });
    await refresh();
    expect(pod.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer secret',
      'Bearer secret',
    ]);
    expect(elsewhere.requests.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);
  });

  test('client credentials are exchanged for a token once, and again when it is refused', async () => {
    actAsIssuer(pod, { id: 'app', secret: 'hush', now: () => node.time.now });
    const accepted = new Set(['DPoP token-1']);
    pod.on('/doc', ({ headers }) =>
      accepted.has(headers.authorization ?? '') && headers.dpop
        ? inTurtle('<#it> <urn:p> "private" .')
        : { status: 401 },
    );
    const clientCredentials = { id: 'app', secret: 'hush' };
    await connect(node, ALICE, { source: pod.url('/doc'), configuration: { clientCredentials } });
    expect(values((await refresh())[0])).toEqual(['private']);
    await refresh();
    expect(pod.count('POST /token')).toBe(1);
    accepted.clear();
    accepted.add('DPoP token-2');
    expect((await refresh())[0].stale).toBeUndefined();
    expect(pod.count('POST /token')).toBe(2);
  });

  test('that are wrong make the record stale, without telling them', async () => {
    actAsIssuer(pod, { id: 'app', secret: 'right', now: () => node.time.now });
    const clientCredentials = { id: 'app', secret: 'wrong-secret', issuer: pod.origin };
    await connect(node, ALICE, { source: pod.url('/doc'), configuration: { clientCredentials } });
    const [record] = await refresh();
    expect(record).toMatchObject({
      stale: true,
      error: expect.stringContaining('check the client id and secret'),
    });
    expect(JSON.stringify(record) + node.logged.join()).not.toContain('wrong-secret');
  });

  test('an issuer that a holder names is not looked for inside the network', async () => {
    await start({ allowPrivate: false });
    const clientCredentials = { id: 'a', secret: 'b', issuer: pod.origin };
    await connect(node, ALICE, { source: 'https://pod.example/x', configuration: { clientCredentials } });
    expect((await refresh())[0].stale).toBe(true);
    expect(pod.requests).toEqual([]);
  });
});
