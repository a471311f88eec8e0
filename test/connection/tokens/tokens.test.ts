import { createHmac } from 'node:crypto';
import { exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { issueToken, OWN_ISSUER } from '../../../src/connection/tokens/access.js';
import { loadKeys } from '../../../src/connection/tokens/key-file.js';
import {
  ALICE,
  BASE,
  BOB,
  OPERATOR,
  startService,
  type TestService,
} from '../../acceptance/adapters/connection-app.js';
import { connect } from '../../support/connection-requests.js';
import { type FakeServer, fakeServer } from '../../support/fake-server.js';
import { processorTime } from '../../support/processor-time.js';

type Key = Awaited<ReturnType<typeof generateKeyPair>> & { readonly kid: string };

/** An OIDC issuer on a fake server: it publishes its key, signs what it is asked to, and changes its key. */
class TestIssuer {
  key!: Key;
  /** Keys that it publishes beside its own. */
  others: object[] = [];
  #made = 0;

  constructor(readonly server: FakeServer) {
    server.on('/.well-known/openid-configuration', () => ({
      body: { issuer: this.url, jwks_uri: server.url('/jwks') },
    }));
    server.on('/jwks', async () => {
      const { publicKey, kid } = this.key;
      return { body: { keys: [{ ...(await exportJWK(publicKey)), kid, use: 'sig' }, ...this.others] } };
    });
  }

  get url(): string {
    return `${this.server.origin}/`;
  }

  /** Signs with a new key from now on, and publishes it alone. */
  async rotate(alg = 'ES256'): Promise<void> {
    this.key = { ...(await generateKeyPair(alg, { extractable: true })), kid: `key-${++this.#made}` };
  }

  /** Claims that are `undefined` are left out, its own `iss` too. */
  sign(claims: Readonly<Record<string, unknown>>, { alg = 'ES256', key = this.key } = {}): Promise<string> {
    return new SignJWT({ iss: this.url, ...claims } as JWTPayload)
      .setProtectedHeader({ alg, kid: key.kid })
      .sign(key.privateKey);
  }
}

/** What opens the records of a holder, and what does not: the tokens of the node, and those of an issuer that it trusts. */
let node: TestService;
let server: FakeServer;
let issuer: TestIssuer;

beforeEach(async () => {
  server = await fakeServer();
  issuer = new TestIssuer(server);
  await issuer.rotate();
  node = await startService({ issuers: [server.origin] });
  for (const holder of [ALICE, BOB]) await connect(node, holder);
});

/** What a token opens: the status, the challenge when it is refused, and whose records it shows. */
async function whatOpens(token: string | null, at = node) {
  const { status, headers, json } = await at.send('/connection/', { token });
  const holders = status === 200 ? json.map((one: { holder: string }) => decodeURIComponent(one.holder)) : [];
  return { status, challenge: headers.get('www-authenticate'), holders };
}
const statusOf = async (token: string | null, at = node) => (await whatOpens(token, at)).status;

const seconds = () => Math.floor(node.time.now / 1000);
const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
/** A token that is signed by hand. */
const HS256 = { alg: 'HS256', typ: 'JWT' };
const signed = (secret: string | Uint8Array, payload: object, head: object = HS256) => {
  const text = `${base64(head)}.${base64(payload)}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
};

describe('without a good token', () => {
  test.each([null, '', 'a b'])('%j: 401 that asks for one', async (token) => {
    expect(await whatOpens(token)).toMatchObject({
      status: 401,
      challenge: 'Bearer realm="connection service"',
    });
  });

  test('in another scheme, or in the URL: 401', async () => {
    const headers = { authorization: `Basic ${OPERATOR}` };
    expect((await node.send('/connection/', { token: null, headers })).status).toBe(401);
    expect((await node.send(`/connection/?access_token=${OPERATOR}`, { token: null })).status).toBe(401);
  });

  const unverified = (payload: unknown) => `${base64({ alg: 'HS256' })}.${base64(payload)}.AAAA`;
  test.each([
    ...[`${OPERATOR}x`, OPERATOR.slice(1), 'a.b.c', `${base64({ alg: 'ES256' })}.${base64({})}.x`],
    ...[1, null, {}, [OWN_ISSUER], ''].map((iss) => unverified({ iss })),
    ...[7, 'x', []].map(unverified),
  ])('%s: 401 that says it is wrong', async (token) => {
    const challenge = expect.stringContaining('error="invalid_token"');
    expect(await whatOpens(token)).toMatchObject({ status: 401, challenge });
  });

  test('of the operator, where there is none: 401', async () => {
    const bare = await startService({ operatorToken: null });
    expect([await statusOf(OPERATOR, bare), await statusOf('undefined', bare)]).toEqual([401, 401]);
  });
});

describe('a token of the node itself', () => {
  const claims = (more: object = {}) => ({
    ...{ iss: OWN_ISSUER, aud: OWN_ISSUER, sub: ALICE, exp: seconds() + 60 },
    ...more,
  });

  test('reaches the records of its holder, until it expires', async () => {
    const token = await node.token(ALICE, 60_000);
    expect((await whatOpens(token)).holders).toEqual([ALICE]);
    node.time.now += 60_001;
    const challenge = expect.stringContaining('it has expired');
    expect(await whatOpens(token)).toMatchObject({ status: 401, challenge });
  });

  test('is none when made with another key, without an end, for something else, or unsigned', async () => {
    const { now } = node.time;
    const other = await issueToken({ holder: ALICE, expires: now + 1e6 }, new Uint8Array(32), now);
    const keys = await loadKeys(node.dataDir);
    expect([await statusOf(other), await statusOf(signed(keys.token, claims()))]).toEqual([401, 200]);
    for (const bad of [{ exp: undefined }, { aud: BASE }, { sub: undefined }, { exp: seconds() - 1 }])
      expect(await statusOf(signed(keys.token, claims(bad))), JSON.stringify(bad)).toBe(401);
    // The secret that signs invite links signs no tokens.
    expect(await statusOf(signed(keys.invite, claims()))).toBe(401);
    for (const alg of ['none', 'None', 'HS256'])
      expect(await statusOf(`${base64({ alg, typ: 'JWT' })}.${base64(claims())}.`), alg).toBe(401);
  });

  test('that version 0.2.0 made for less than everything of a holder is refused', async () => {
    const { token } = await loadKeys(node.dataDir);
    expect(await statusOf(signed(token, claims({ scope: 'write' })))).toBe(200);
    for (const scope of ['read', 'invite'])
      expect(await whatOpens(signed(token, claims({ scope })))).toMatchObject({
        ...{ status: 401, challenge: expect.stringContaining('make a new one') },
      });
  });
});

const claims = (more: object = {}) => ({ sub: ALICE, aud: BASE, exp: seconds() + 60, ...more });

describe('a token of an issuer', () => {
  test.each(['RS256', 'PS256', 'ES256', 'EdDSA'])('signed with %s speaks for its subject', async (alg) => {
    await issuer.rotate(alg);
    expect((await whatOpens(await issuer.sign(claims(), { alg }))).holders).toEqual([ALICE]);
  });

  test('speaks for its webid, if it has one', async () => {
    const token = await issuer.sign(claims({ webid: BOB, aud: ['solid', 'client'], sub: 'anything' }));
    expect((await whatOpens(token)).holders).toEqual([BOB]);
  });

  test.each([
    ['for another audience', { aud: 'https://elsewhere.example' }],
    ['for none', { aud: undefined }],
    ['expired', { exp: 1_000_000_000 }],
    ['without an end', { exp: undefined }],
    ['not valid yet', { nbf: 4_000_000_000 }],
    ['of another issuer', { iss: 'https://evil.example/' }],
    ['of no issuer', { iss: undefined }],
    ['of the node by its word only', { iss: OWN_ISSUER, aud: OWN_ISSUER, scope: 'write' }],
    ['whose holder is no URI', { sub: 'alice' }],
    ['whose webid is no URI', { webid: 'alice' }],
    ['bound to a key, sent without a proof', { cnf: { jkt: 'x' } }],
  ])('%s is refused', async (_, more) => {
    const refused = { status: 401, challenge: expect.stringContaining('error="invalid_token"') };
    expect(await whatOpens(await issuer.sign({ ...claims(), ...more }))).toMatchObject(refused);
  });

  test('of an issuer whose name only begins like a trusted one is refused, and one that is late by some seconds is not', async () => {
    const iss = `${server.origin}.evil.example/`;
    expect(await statusOf(await issuer.sign(claims({ iss })))).toBe(401);
    expect(await statusOf(await issuer.sign(claims({ exp: seconds() - 2 })))).toBe(200);
    expect(await statusOf(await issuer.sign(claims({ exp: seconds() - 10 })))).toBe(401);
  });

  test('unsigned, or signed with the public key as a secret, or with a key of its own, is refused', async () => {
    await issuer.rotate('RS256');
    const { publicKey, kid } = issuer.key;
    const payload = { iss: issuer.url, ...claims() };
    for (const alg of ['none', 'NONE'])
      expect(await statusOf(`${base64({ alg, kid })}.${base64(payload)}.`)).toBe(401);
    const jwks = await (await fetch(server.url('/jwks'))).text();
    for (const secret of [await exportSPKI(publicKey), jwks, JSON.stringify(JSON.parse(jwks).keys[0])])
      expect(await statusOf(signed(secret, payload, { alg: 'HS256', kid }))).toBe(401);
    const stranger = new TestIssuer(await fakeServer());
    await stranger.rotate('RS256');
    const own = { ...stranger.key, kid };
    expect(await statusOf(await issuer.sign(claims(), { alg: 'RS256', key: own }))).toBe(401);
  });
});

describe('the keys of an issuer', () => {
  const status = async () => statusOf(await issuer.sign(claims()));
  /** After that, a token with an unknown key has the keys read again. */
  const passHalfAMinute = () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31_000 });
    onTestFinished(() => void vi.useRealTimers());
  };

  test('are fetched once for many tokens, and for unknown ones not sooner than after half a minute', async () => {
    for (let i = 0; i < 5; i++) expect(await status()).toBe(200);
    await issuer.rotate();
    for (let i = 0; i < 5; i++) expect(await status()).toBe(401);
    expect(server.count('/jwks')).toBe(1);
    passHalfAMinute();
    expect([await status(), server.count('/jwks')]).toEqual([200, 2]);
  });

  test('when there never were any, the answer is 503, and logged without the token', async () => {
    server.everything({ status: 500 });
    const token = await issuer.sign(claims());
    const answer = await node.send('/connection/', { token });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '30']);
    expect(node.logged.join()).toContain('openid-configuration');
    expect(node.logged.join()).not.toContain(token.split('.')[2]);
    server.everything(undefined);
    const asked = server.requests.length;
    expect(await statusOf(token)).toBe(503);
    expect(server.requests.length).toBe(asked);
    node.time.now += 30_000;
    expect(await statusOf(token)).toBe(200);
  });

  const CONFIGURATION = '/.well-known/openid-configuration';

  test.each([{ status: 500 }, { body: '<html>' }, { body: { keys: 'none' } }])(
    'are asked for at most every half a minute while they cannot be had: %j',
    async (answer) => {
      server.on('/jwks', answer);
      for (let i = 0; i < 3; i++) expect(await status()).toBe(503);
      expect(server.requests.length).toBe(2);
    },
  );

  test('are read where they were while its configuration cannot be read', async () => {
    expect(await status()).toBe(200);
    await issuer.rotate();
    server.on(CONFIGURATION, { status: 500 });
    passHalfAMinute();
    expect(await status()).toBe(200);
  });

  test('are read again although a token names one that is of no use', async () => {
    issuer.others = [{ kty: 'EC', crv: 'P-256', x: 'AAAA', y: 'AAAA', kid: 'bad' }];
    expect(await status()).toBe(200);
    const head = base64({ alg: 'ES256', kid: 'bad' });
    expect(await statusOf(`${head}.${base64({ iss: issuer.url, ...claims() })}.AAAA`)).toBe(503);
    await issuer.rotate();
    passHalfAMinute();
    expect(await status()).toBe(200);
  });

  test('may move: until they are found, those that are known go on, and others are 503', async () => {
    const former = await issuer.sign(claims());
    expect(await statusOf(former)).toBe(200);
    await issuer.rotate();
    const jwks = await exportJWK(issuer.key.publicKey);
    server.on('/jwks', { status: 404 }).on('/moved', { body: { keys: [{ ...jwks, kid: issuer.key.kid }] } });
    passHalfAMinute();
    expect([await status(), await statusOf(former)]).toEqual([503, 200]);
    server.on(CONFIGURATION, { body: { issuer: issuer.url, jwks_uri: server.url('/moved') } });
    expect(await status()).toBe(503);
    node.time.now += 30_000;
    expect([await status(), await statusOf(former)]).toEqual([200, 401]);
  });

  const evil = { issuer: 'https://evil.example/', jwks_uri: 'https://evil.example/jwks' };
  test.each([
    ['/jwks', 'no key set', { keys: 'none' }],
    ['/jwks', 'no JSON', '<html>'],
    [CONFIGURATION, 'another issuer', evil],
    [CONFIGURATION, 'no keys', { issuer: 'x' }],
    [CONFIGURATION, 'a name of slashes', { issuer: `http://x${'/'.repeat(98_000)}x` }],
  ])(
    'are not to be had, which is 503 at once, and not the fault of a token: %s has %s',
    async (path, _, body) => {
      server.on(path, { body });
      const busyMs = processorTime();
      expect(await status()).toBe(503);
      expect(busyMs()).toBeLessThan(2_000);
    },
  );
});
