import { beforeAll, describe, expect, test } from 'vitest';
import {
  ALICE,
  BASE,
  BOB,
  connect,
  invite,
  startService,
  type TestService,
} from '../../support/connection-app.js';

const encode = encodeURIComponent;
const STUDY = 'https://research.example/sleep#study';
const OTHER_STUDY = 'https://research.example/diet#study';
const PURPOSE = 'https://research.example/purposes/sleep';

let node: TestService;
let study: string;
beforeAll(async () => {
  node = await startService();
  study = await node.token(STUDY, 'invite');
});

const post = (body: object, token = study) => node.send('/invite/', { method: 'POST', token, body });
const uris = (json: { uri: string }[]) => json.map(({ uri }) => uri);

describe('a token with the scope invite', () => {
  test('invites any holder, and sees its own invites with their links, and no others', async () => {
    const made = [
      await post({ purpose: PURPOSE, holder: ALICE }),
      await post({ purpose: PURPOSE, holder: BOB }),
    ];
    expect(made.map(({ status, json }) => [status, json.holder])).toEqual([
      [201, ALICE],
      [201, BOB],
    ]);
    const others = [
      await invite(node, ALICE),
      (await post({ purpose: PURPOSE }, await node.token(ALICE))).json.uri,
      (await post({ purpose: PURPOSE, holder: ALICE }, await node.token(OTHER_STUDY, 'invite'))).json.uri,
      (await post({ purpose: PURPOSE }, await node.token(BOB))).json.uri,
    ];
    const own = made.map(({ json }) => json.uri).reverse();
    const listed = await node.send('/invite/', { token: study });
    expect([listed.status, uris(listed.json)]).toEqual([200, own]);
    expect(uris((await node.send('/invite/?limit=1', { token: study })).json)).toEqual([own[0]]);
    for (const [uri, status] of [...own.map((uri) => [uri, 200]), ...others.map((uri) => [uri, 404])]) {
      expect((await node.send(`/invite/${encode(uri)}`, { token: study })).status, uri).toBe(status);
      expect((await node.send(`/invite/${encode(uri)}/link`, { token: study })).status, uri).toBe(status);
    }
    // The holder sees the invite like any other, and its nine fields.
    const alices = await node.send(`/invite/${encode(own[1])}`, { token: await node.token(ALICE) });
    expect([alices.status, alices.json]).toEqual([200, made[0]?.json]);
    expect(Object.keys(alices.json)).toHaveLength(9);
  });

  test('sees that its invite was accepted, and not what it led to', async () => {
    const { uri } = (await post({ purpose: PURPOSE, holder: ALICE })).json;
    const connection = await connect(node, ALICE);
    const etag = (await node.send(`/invite/${encode(uri)}`, { token: study })).headers.get('etag') ?? '';
    const put = async (more: object, token: string, headers = {}) =>
      node.send(`/invite/${encode(uri)}`, {
        method: 'PUT',
        token,
        headers,
        body: { ...(await node.send(`/invite/${encode(uri)}`, { token })).json, ...more },
      });
    const alice = await node.token(ALICE);
    expect((await put({ state: 'linking' }, alice, { 'if-match': etag })).status).toBe(200);
    expect((await put({ state: 'linked', connection }, alice)).status).toBe(200);
    // A linked invite that is put as it is stays as it is.
    expect((await put({}, alice)).status).toBe(200);
    const { json } = await node.send(`/invite/${encode(uri)}`, { token: study });
    expect(json).toMatchObject({ state: 'linked', connection, accepted: String(node.time.now) });
    for (const path of [`/connection/${encode(connection)}`, `/exchange/${encode(json.exchange)}`])
      expect((await node.send(path, { token: study })).status).toBe(403);
  });

  test.each([
    ['GET', '/connection/'],
    ['POST', '/connection/'],
    ['GET', '/connection/urn:x'],
    ['PUT', '/connection/urn:x'],
    ['DELETE', '/connection/urn:x'],
    ['GET', `/holder/${encode(ALICE)}/connections`],
    ['GET', `/holder/${encode(ALICE)}/connections?type=invite`],
    ['GET', `/holder/${encode(STUDY)}/invites`],
    ['PUT', '/invite/urn:x'],
    ['GET', '/exchange/urn:x'],
    ['GET', '/resource/'],
    ['GET', '/resource/urn:x'],
    ['POST', '/resource/refresh'],
  ])('may nothing else: %s %s is 403', async (method, path) => {
    const { status, headers, json } = await node.send(path, {
      method,
      token: study,
      ...(method === 'GET' ? {} : { body: {} }),
    });
    expect([status, json.detail]).toEqual([403, 'This token may only invite, and see its own invites']);
    expect(headers.get('www-authenticate')).toMatch(/error="insufficient_scope"/);
  });

  test.each([
    [{ holder: undefined }, '/holder'],
    [{ holder: null }, '/holder'],
    [{ uri: 'urn:mine' }, '/uri'],
    [{ exchange: 'urn:mine' }, '/exchange'],
  ])('names the holder, and leaves uris to the service: %j is 422', async (more, pointer) => {
    const before = (await node.send('/invite/')).text;
    const { status, json } = await post({ purpose: PURPOSE, holder: ALICE, ...more });
    expect([status, json.errors[0].pointer]).toEqual([422, pointer]);
    expect((await node.send('/invite/')).text).toBe(before);
  });

  test('sees its invites after a restart, and none of those that were given away', async () => {
    const first = await startService();
    const token = await first.token(STUDY, 'invite');
    const send = { method: 'POST', token, body: { purpose: PURPOSE, holder: ALICE } };
    const { uri } = (await first.send('/invite/', send)).json;
    await first.service.close();
    const second = await startService({ dataDir: first.dataDir });
    expect(uris((await second.send('/invite/', { token })).json)).toEqual([uri]);
    // Whoever the holder is then, it is still the invite of the study.
    const { json } = await second.send(`/invite/${encode(uri)}`);
    const moved = await second.send(`/invite/${encode(uri)}`, {
      method: 'PUT',
      body: { ...json, holder: BOB },
    });
    expect(moved.status).toBe(200);
    expect((await second.send(`/invite/${encode(uri)}`, { token })).json.holder).toBe(BOB);
    expect(uris((await second.send('/invite/', { token: await second.token(ALICE) })).json)).toEqual([]);
    const link = (await second.send(`/invite/${encode(uri)}/link`, { token })).json.inviteLink;
    expect((await second.send(link.slice(BASE.length), { token: null })).status).toBe(200);
  });
});
