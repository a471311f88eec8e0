import { beforeAll, describe, expect, test } from 'vitest';
import {
  change,
  connectionPath,
  invite,
  invitePath,
  linkTo,
  open,
  refreshAll,
  submit,
} from '../../support/connection-requests.js';
import { words } from '../../support/explorer-pages.js';
import { type FakeServer, fakeServer, held, inTurtle } from '../../support/fake-server.js';
import { waitFor } from '../../support/wait-for.js';
import { ALICE, BOB, startService, type TestService } from '../adapters/connection-app.js';

/** The page behind an invite link: who may open it, what accepting does, and how the holder ends it again. */
const encode = encodeURIComponent;
const DATA = inTurtle('<#it> <urn:v#name> "Secret", "Other" ; <urn:v#knows> <#b> .');

let node: TestService;
let pod: FakeServer;
beforeAll(async () => {
  node = await startService();
  pod = (await fakeServer()).everything(DATA);
});

const read = async (uri: string) => (await node.send(invitePath(uri))).json;
const connections = async () => (await node.send('/connection/')).json;
/** The link of a new invite for Alice, and its URI. */
async function invited(more: Record<string, unknown> = {}): Promise<{ uri: string; link: string }> {
  const uri = await invite(node, ALICE, more);
  return { uri, link: await linkTo(node, uri) };
}
/** An invite that its holder has accepted; its link still is that of the message. */
async function accepted() {
  const { uri, link } = await invited();
  const source = pod.url(`/${encode(uri)}`);
  expect((await submit(node, link, { source })).status).toBe(200);
  return { uri, link, source };
}

describe('the link', () => {
  const HOSTILE = "https://purpose.example/?a='&b=%3Cscript%3E&c=alert(1)";

  test('opens, without a token, a page that says for what, for whom and until when, and how it is ended', async () => {
    const { link } = await invited({ purpose: HOSTILE, expires: String(Date.UTC(2027, 0, 2, 3, 4)) });
    const { status, headers, text } = await open(node, link);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(words(text)).toMatch(
      /For https:\/\/alice\.example.*2027-01-02 03:04:00 UTC.*To end it, open this link again/,
    );
    expect(text).toContain('https://purpose.example/?a=&#39;&amp;b=%3Cscript%3E');
    expect(text).not.toMatch(/<script|<nav|<footer|https?:\/\/(?!purpose|alice)/);
  });

  test('says what it is for in the words of the operator, where there are any', async () => {
    const PURPOSE = 'https://research.example/purposes/sleep';
    const said = {
      name: 'Sleep and screens',
      sentence: 'We compare how long people sleep.',
      contact: 'sleep@research.example',
      privacy: 'https://research.example/privacy',
    };
    const service = await startService({ purposes: { [PURPOSE]: said } });
    const link = await linkTo(service, await invite(service, ALICE, { purpose: PURPOSE }));
    const { text } = await open(service, link);
    expect(words(text)).toMatch(/Sleep and screens.*We compare.*Questions sleep@.*What becomes of your data/);
    expect(text).toContain(`href="${said.privacy}"`);
  });

  test('is guarded by headers, on the page and on every refusal', async () => {
    const { link } = await invited();
    const sources = ['x', pod.url('/data')];
    const answers = [await open(node, link), await open(node, `${link}x`)];
    for (const source of sources) answers.push(await submit(node, link, { source }));
    for (const { headers } of answers) {
      expect(Object.fromEntries(headers)).toMatchObject({
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'content-security-policy':
          "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      });
      expect(headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  test('is worth nothing when a part of it is changed, or when another node has made it', async () => {
    const { uri, link } = await invited();
    const other = await invited();
    const elsewhere = await startService();
    await invite(elsewhere, ALICE, { uri });
    const changed = [
      link.replace(/(?<=signature=)./, (first) => (first === '_' ? '-' : '_')),
      link.replace(/signature=.*/, 'signature='),
      link.replace(/\?.*/, ''),
      link.replace(/[^/]+(?=\/accept)/, encode(other.uri)),
      link.replace(/[^/]+(?=\/accept)/, 'urn%3Anone'),
      (await linkTo(elsewhere, uri)).replace(/[^/]+(?=\/accept)/, encode(uri)),
    ];
    for (const one of changed)
      for (const answer of [await open(node, one), await submit(node, one, { source: pod.url('/data') })])
        expect([answer.status, answer.headers.get('content-type')], one).toEqual([
          404,
          'text/html; charset=utf-8',
        ]);
    expect([(await read(uri)).state, (await read(other.uri)).state]).toEqual(['not linked', 'not linked']);
  });

  test('ends with the invite, and when the invite is given to another holder', async () => {
    const soon = () => String(node.time.now + 1000);
    const { uri, link } = await invited({ expires: soon() });
    const statusOf = async (one: string) => (await open(node, one)).status;
    node.time.now += 1000;
    const sent = await submit(node, link, { source: pod.url('/data') });
    expect([await statusOf(link), sent.status]).toEqual([410, 410]);
    // More time needs a new link, less time ends the old one, and so does another holder.
    await change(node, invitePath(uri), { expires: soon() });
    const later = await linkTo(node, uri);
    expect([await statusOf(link), await statusOf(later)]).toEqual([410, 200]);
    await change(node, invitePath(uri), { holder: BOB });
    const bobs = await linkTo(node, uri);
    expect([await statusOf(later), await statusOf(bobs)]).toEqual([404, 200]);
    await change(node, invitePath(uri), { expires: String(node.time.now - 1) });
    expect(await statusOf(bobs)).toBe(410);
  });
});

describe('acceptance', () => {
  test('makes the connection, links the invite, keeps what was read and a record that ties them together', async () => {
    const { uri, link } = await invited();
    const source = pod.url('/first');
    const { status, text } = await submit(node, link, { source: `  ${encode(source)} ` });
    expect([status, words(text)]).toEqual([
      200,
      expect.stringMatching(/You are connected.*You have accepted/),
    ]);
    const { connection, exchange, accepted, state } = await read(uri);
    expect([state, accepted]).toEqual(['linked', String(node.time.now)]);
    expect((await node.send(connectionPath(connection))).json).toEqual({
      ...{ uri: encode(connection), configuration: {}, state: 'CONNECTED' },
      ...{ source: encode(source), holder: encode(ALICE) },
    });
    const token = await node.token(ALICE);
    const purpose = 'https://purpose.example/research';
    expect((await node.send(`/exchange/${encode(exchange)}`, { token })).json).toEqual({
      ...{ uri: exchange, invite: uri, purpose, holder: ALICE, source, connection, accepted },
    });
    expect((await node.send(`/resource/${encode(source)}`, { token })).json.triples).toHaveLength(3);
    // It was read once, and without credentials.
    expect(pod.requests.filter(({ url }) => url === '/first')).toMatchObject([{ headers: {} }]);
    expect(pod.requests.at(-1)?.headers.authorization).toBeUndefined();
  });

  test('of two at once, one is taken; later ones are told so, also after a restart, and nothing changes', async () => {
    const first = await startService();
    const uri = await invite(first, ALICE);
    const link = await linkTo(first, uri);
    const all = ['a', 'b', 'c'].map((name) => submit(first, link, { source: pod.url(`/${name}`) }));
    expect((await Promise.all(all)).map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const linked = (await first.send(invitePath(uri))).json;
    await first.service.close();
    const second = await startService({ after: first });
    const again = await submit(second, link, { source: pod.url('/data') });
    expect([again.status, again.text]).toEqual([409, expect.stringContaining('was not used')]);
    expect((await second.send(invitePath(uri))).json).toEqual(linked);
    expect((await second.send('/connection/')).json).toHaveLength(1);
  });

  test('of two nodes on one database at once, one takes it', async () => {
    const here = await startService({ isShared: true });
    const there = await startService({ isShared: true, after: here });
    const link = await linkTo(here, await invite(here, ALICE));
    const both = [here, there].map((node, i) => submit(node, link, { source: pod.url(`/node/${i}`) }));
    expect((await Promise.all(both)).map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await there.send('/connection/')).json).toHaveLength(1);
  });

  test.each<[string, number, (uri: string, expires: string) => unknown]>([
    ['expires', 410, (_, expires) => (node.time.now = Number(expires))],
    ['is ended', 410, (uri) => change(node, invitePath(uri), { expires: String(node.time.now) })],
    ['is given to somebody else', 404, (uri) => change(node, invitePath(uri), { holder: BOB })],
  ])('of an invite that %s while the source is read is refused with %i', async (_, status, meanwhile) => {
    const expires = String(node.time.now + 1_000);
    const { uri, link } = await invited({ expires });
    const before = [await connections(), (await node.send('/resource/')).json];
    const slow = await fakeServer();
    const release = held(slow, '/doc', DATA);
    const accepting = submit(node, link, { source: slow.url('/doc') });
    await waitFor(() => slow.requests.length === 1);
    await meanwhile(uri, expires);
    const changed = await read(uri);
    release();
    expect((await accepting).status).toBe(status);
    expect(await read(uri)).toEqual({ ...changed, state: 'not linked', connection: null, accepted: null });
    expect([await connections(), (await node.send('/resource/')).json]).toEqual(before);
  });

  test('takes a form of a sensible size, and nothing else', async () => {
    const { link } = await invited();
    expect((await node.send(link, { method: 'POST', token: null, body: {} })).status).toBe(415);
    expect((await submit(node, link, { source: `https://x.example/${'x'.repeat(30_000)}` })).status).toBe(
      413,
    );
    expect((await node.send(link, { method: 'PUT', token: null })).status).toBe(405);
    expect((await open(node, '/invite/%E0%A4%A/accept')).status).toBe(400);
  });

  test('of an invite that names an exchange that exists already is refused', async () => {
    const exchange = 'urn:my:exchange';
    const [one, other] = [await invited({ exchange }), await invited({ exchange })];
    const source = pod.url('/data');
    expect((await submit(node, one.link, { source })).status).toBe(200);
    const { connection, ...linked } = await read(one.uri);
    expect(linked.exchange).toBe(exchange);
    expect((await submit(node, other.link, { source })).status).toBe(409);
    expect((await read(other.uri)).state).toBe('not linked');
    // The same of an invite that is linked with a PUT.
    await change(node, invitePath(other.uri), { state: 'linking', connection });
    const link = (more = {}) => change(node, invitePath(other.uri), { state: 'linked', ...more });
    expect([(await link()).status, (await read(other.uri)).state]).toEqual([409, 'linking']);
    expect((await link({ exchange: 'urn:my:other' })).status).toBe(200);
    expect((await change(node, invitePath(one.uri), {})).status).toBe(200);
  });
});

describe('a source that is not accepted', () => {
  let site: FakeServer;
  beforeAll(async () => {
    site = (await fakeServer()).on('/other', DATA);
  });

  // What else can be wrong with a document is told in the words of a refresh: resources.test.ts.
  test.each([
    ['', {}, /not an address/],
    ['"><script>alert(1)</script>', {}, /not an address/],
    ['urn:isbn:0451450523', {}, /not an http or https URL/],
    ['/401', { status: 401 }, /does not let this node read it.*answers 401/],
    ['/404', { status: 404 }, /There is nothing at this address/],
    ['/429', { status: 429 }, /answers with an error. Try again later .*answers 429/],
    ['/503', { status: 503 }, /answers with an error. Try again later .*answers 503/],
  ])('%j, %j: the page says why, with what was written; the invite stays', async (where, answer, why) => {
    if (where.startsWith('/')) site.on(where, answer);
    const source = where.startsWith('/') ? site.url(where) : where;
    const before = await connections();
    const { uri, link } = await invited();
    const { status, text, headers } = await submit(node, link, { source });
    expect([status, headers.get('content-type')]).toEqual([422, 'text/html; charset=utf-8']);
    expect(words(text)).toMatch(why);
    const escaped = source.replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    expect(text).toContain(`value="${escaped}"`);
    expect(text).not.toContain('<script');
    expect([(await read(uri)).state, await connections()]).toEqual(['not linked', before]);
  });

  test('is inside the network of the node', async () => {
    const closed = await startService({ allowPrivate: false });
    const before = site.requests.length;
    const link = await linkTo(closed, await invite(closed, ALICE));
    const { status, text } = await submit(closed, link, { source: site.url('/data') });
    expect([status, text]).toEqual([422, expect.stringContaining('does not read such addresses')]);
    expect(site.requests.length).toBe(before);
  });

  test('is tried so often that a link could scan the web: then it is 429', async () => {
    site.on('/404', { status: 404 });
    const [one, other] = [await invited(), await invited()];
    const attempt = (link: string) => submit(node, link, { source: site.url('/404') });
    for (let i = 0; i < 10; i++) expect((await attempt(one.link)).status).toBe(422);
    const before = site.requests.length;
    const { status, headers } = await attempt(one.link);
    expect([status, headers.get('retry-after')]).toEqual([429, '60']);
    expect(site.requests.length).toBe(before);
    // Others are not kept waiting.
    expect((await attempt(other.link)).status).toBe(422);
  });
});

describe('the link of an accepted invite', () => {
  test('leads to what is connected, and when it was read, without what it says', async () => {
    const { link, source } = await accepted();
    // Long after the invite could have been accepted.
    node.time.now += 90 * 86_400_000;
    const { status, text } = await open(node, link);
    expect([status, text]).toEqual([200, expect.stringContaining(`href="${source}"`)]);
    expect(words(text)).toMatch(/Last read 2026-11-20 12:\S+ UTC.*Accepted 2026-11-20/);
    expect(text).not.toMatch(/Secret|<script/);
    pod.everything({ status: 403 });
    await refreshAll(node);
    pod.everything(DATA);
    expect(words((await open(node, link)).text)).toMatch(/Last read 2026-11-20 .*403/);
  });

  test('ends the connection after a confirmation, and says so from then on', async () => {
    const { uri, link, source } = await accepted();
    const other = await accepted();
    const { connection } = await read(uri);
    expect((await open(node, link)).text).toMatch(
      /<details[^>]*><summary[^>]*>End it<[\s\S]*name="end" value="yes"/,
    );
    const end = () => submit(node, link, { end: 'yes' });
    for (const answer of [await end(), await end(), await open(node, link)]) {
      expect(answer.status).toBe(200);
      expect(words(answer.text)).toMatch(/This connection has ended .*Accepted .*Invited/);
      expect(answer.text).not.toContain(source);
    }
    expect(await read(uri)).toMatchObject({ state: 'linked', connection: null });
    expect((await node.send(connectionPath(connection))).status).toBe(404);
    expect((await node.send(`/resource/${encode(source)}`)).status).toBe(404);
    expect((await submit(node, link, { source })).status).toBe(409);
    // What another invite has led to stays.
    expect((await open(node, other.link)).text).toContain(other.source);
  });
});
