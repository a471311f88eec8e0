import { beforeAll, describe, expect, test } from 'vitest';
import { invite } from '../../../support/connection-requests.js';
import { type FakeServer, fakeServer, inTurtle } from '../../../support/fake-server.js';
import { ALICE, BASE, BOB, startService, type TestService } from '../../adapters/connection-app.js';

const encode = encodeURIComponent;
const HOSTILE = "https://purpose.example/?a='&b=%3Cscript%3E&c=alert(1)";

let node: TestService;
let pod: FakeServer;
beforeAll(async () => {
  node = await startService();
  pod = (await fakeServer()).everything(inTurtle('<#it> <urn:p> 1 .'));
});

/** A source that can be read. */
const source = () => pod.url('/data');

/** Path and query of the link of an invite. */
async function linkTo(uri: string): Promise<string> {
  const { status, json, text } = await node.send(`/invite/${encode(uri)}/link`);
  if (status !== 200) throw new Error(text);
  return json.inviteLink.slice(BASE.length);
}

const open = (link: string) => node.send(link, { token: null });
const submit = (link: string, named: string, headers: Record<string, string> = {}) =>
  node.send(link, {
    method: 'POST',
    token: null,
    body: String(new URLSearchParams({ source: named })),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  });
const read = async (uri: string) => (await node.send(`/invite/${encode(uri)}`)).json;

describe('an invite link', () => {
  test('opens, without a token, a page that shows purpose, holder and expiry', async () => {
    const uri = await invite(node, ALICE, { purpose: HOSTILE, expires: String(Date.UTC(2027, 0, 2, 3, 4)) });
    const { status, headers, text } = await open(await linkTo(uri));
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(text).toContain('2 January 2027 at 03:04 UTC');
    expect(text).toContain(`href="${ALICE}"`);
    expect(text).toContain('https://purpose.example/?a=&#39;&amp;b=%3Cscript%3E');
    expect(text).toMatch(
      /<form class="question" method="post">[\s\S]*<label for="source">[\s\S]*<input id="source" name="source"/,
    );
    expect(text).not.toMatch(/<script|https?:\/\/(?!purpose|alice)/);
  });

  test.each([
    ['cache-control', 'no-store'],
    ['referrer-policy', 'no-referrer'],
    ['x-content-type-options', 'nosniff'],
    [
      'content-security-policy',
      expect.stringMatching(
        /^default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
      ),
    ],
    ['access-control-allow-origin', null],
  ])('is guarded by %s, on the page and on every refusal', async (name, value) => {
    const link = await linkTo(await invite(node, ALICE));
    for (const answer of [
      await open(link),
      await open(`${link}x`),
      await submit(link, 'x'),
      await submit(link, source()),
    ]) {
      expect(answer.headers.get(name)).toEqual(value);
    }
  });

  test('is worth nothing when a part of it is changed', async () => {
    const [uri, other] = [await invite(node, ALICE), await invite(node, ALICE)];
    const link = await linkTo(uri);
    const changed = [
      link.replace(/expires=\d/, 'expires=9'),
      link.replace(/(?<=signature=)./, (first) => (first === '_' ? '-' : '_')),
      link.replace(/&signature=.*/, ''),
      link.replace(/signature=.*/, 'signature='),
      link.replace(/\?.*/, ''),
      link.replace(/[^/]+(?=\/accept)/, encode(other)),
      link.replace(/[^/]+(?=\/accept)/, 'urn%3Anone'),
    ];
    for (const one of changed) {
      for (const answer of [await open(one), await submit(one, source())]) {
        expect([answer.status, answer.headers.get('content-type')], one).toEqual([
          404,
          'text/html; charset=utf-8',
        ]);
      }
    }
    expect([(await read(uri)).state, (await read(other)).state]).toEqual(['not linked', 'not linked']);
  });

  test('is refused for an invite that has expired or is linked', async () => {
    const late = await invite(node, ALICE, { expires: String(node.time.now + 1000) });
    node.time.now += 1000;
    expect((await node.send(`/invite/${encode(late)}/link`)).status).toBe(410);
    const used = await invite(node, ALICE);
    await submit(await linkTo(used), source());
    expect((await node.send(`/invite/${encode(used)}/link`)).status).toBe(409);
  });

  test('ends with the invite, and when the invite is given to another holder', async () => {
    const uri = await invite(node, ALICE, { expires: String(node.time.now + 1000) });
    const link = await linkTo(uri);
    const put = async (more: object) =>
      node.send(`/invite/${encode(uri)}`, { method: 'PUT', body: { ...(await read(uri)), ...more } });
    node.time.now += 1000;
    for (const answer of [await open(link), await submit(link, source())]) expect(answer.status).toBe(410);
    // More time needs a new link, and less time ends the old one.
    await put({ expires: String(node.time.now + 1000) });
    expect((await open(link)).status).toBe(410);
    const later = await linkTo(uri);
    expect((await open(later)).status).toBe(200);
    await put({ holder: BOB });
    expect((await open(later)).status).toBe(404);
    const bobs = await linkTo(uri);
    await put({ expires: String(node.time.now - 1) });
    expect((await open(bobs)).status).toBe(410);
  });

  test('cannot be prolonged by a second date beside the one that is signed', async () => {
    const link = await linkTo(await invite(node, ALICE, { expires: String(node.time.now + 1000) }));
    const [path, query] = link.split('?');
    const later = `expires=${node.time.now + 1e9}`;
    node.time.now += 1000;
    for (const made of [`${path}?${later}&${query}`, `${path}?${query}&${later}`])
      for (const answer of [await open(made), await submit(made, source())]) expect(answer.status).toBe(404);
  });

  test('made by another node leads nowhere', async () => {
    const other = await startService();
    const uri = 'urn:invite:same';
    await invite(node, ALICE, { uri });
    await invite(other, ALICE, { uri });
    const theirs = (await other.send(`/invite/${uri}/link`)).json.inviteLink.slice(BASE.length);
    expect((await open(theirs)).status).toBe(404);
  });
});

describe('acceptance', () => {
  test('makes the connection, links the invite, and keeps a record that ties them together', async () => {
    const uri = await invite(node, ALICE);
    const { status, text } = await submit(await linkTo(uri), `  ${encode(source())} `);
    expect([status, text]).toEqual([200, expect.stringContaining('You are connected')]);
    const { connection, exchange, accepted, state } = await read(uri);
    expect([state, accepted]).toEqual(['linked', String(node.time.now)]);
    expect((await node.send(`/connection/${encode(connection)}`)).json).toEqual({
      uri: encode(connection),
      configuration: {},
      state: 'CONNECTED',
      source: encode(source()),
      holder: encode(ALICE),
    });
    const token = await node.token(ALICE);
    expect((await node.send(`/exchange/${encode(exchange)}`, { token })).json).toEqual({
      uri: exchange,
      invite: uri,
      purpose: 'https://purpose.example/research',
      holder: ALICE,
      source: source(),
      connection,
      accepted: String(node.time.now),
    });
  });

  test('of two at once, one is taken; later ones are told so, and nothing changes', async () => {
    const uri = await invite(node, ALICE);
    const link = await linkTo(uri);
    const count = async () => (await node.send(`/holder/${encode(ALICE)}/connections`)).json.length;
    const before = await count();
    const answers = await Promise.all(['a', 'b', 'c'].map((name) => submit(link, pod.url(`/${name}`))));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const linked = await read(uri);
    const again = await submit(link, source());
    expect([again.status, again.text]).toEqual([409, expect.stringContaining('was not used')]);
    expect(await read(uri)).toEqual(linked);
    expect(await count()).toBe(before + 1);
  });

  test.each(['', 'pod', 'https://', 'a b', '"><script>alert(1)</script>'])(
    'of the source %j is asked for again, with what was written',
    async (named) => {
      const uri = await invite(node, ALICE);
      const { status, text } = await submit(await linkTo(uri), named);
      expect(status).toBe(422);
      expect(text).toContain('aria-invalid="true"');
      expect(text).not.toContain('<script');
      if (named === 'pod') expect(text).toContain('value="pod"');
      expect((await read(uri)).state).toBe('not linked');
    },
  );

  test('takes a form of a sensible size, and nothing else', async () => {
    const link = await linkTo(await invite(node, ALICE));
    const json = { 'content-type': 'application/json' };
    expect((await submit(link, source(), json)).status).toBe(415);
    expect((await submit(link, `https://x.example/${'x'.repeat(30_000)}`)).status).toBe(413);
    expect((await node.send(link, { method: 'PUT', token: null })).status).toBe(405);
    expect((await open('/invite/%E0%A4%A/accept')).status).toBe(400);
  });

  test('is there after a restart, and cannot be repeated', async () => {
    const first = await startService();
    const uri = await invite(first, ALICE);
    const link = (await first.send(`/invite/${encode(uri)}/link`)).json.inviteLink.slice(BASE.length);
    const form = {
      method: 'POST',
      token: null,
      body: `source=${encode(source())}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    };
    expect((await first.send(link, form)).status).toBe(200);
    const before = (await first.send('/invite/')).text;
    await first.service.close();
    const second = await startService({ after: first });
    expect((await second.send('/invite/')).text).toBe(before);
    expect((await second.send(link, form)).status).toBe(409);
    expect((await second.send('/connection/')).json).toHaveLength(1);
  });

  test('of an invite that names an exchange that exists already is refused', async () => {
    const exchange = 'urn:my:exchange';
    const [one, other] = [await invite(node, ALICE, { exchange }), await invite(node, ALICE, { exchange })];
    expect((await submit(await linkTo(one), source())).status).toBe(200);
    expect((await read(one)).exchange).toBe(exchange);
    expect((await submit(await linkTo(other), source())).status).toBe(409);
    expect((await read(other)).state).toBe('not linked');
  });
});
