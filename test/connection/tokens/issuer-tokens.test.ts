import { createHmac } from 'node:crypto';
import { exportSPKI } from 'jose';
import { beforeEach, describe, expect, test } from 'vitest';
import { OWN_ISSUER } from '../../../src/connection/tokens/holder-token.js';
import { createIssuerTokens } from '../../../src/connection/tokens/issuer-token.js';
import { systemClock } from '../../../src/lib/clock.js';
import {
  ALICE,
  BASE,
  BOB,
  startService,
  type TestService,
} from '../../acceptance/adapters/connection-app.js';
import { connect } from '../../support/connection-requests.js';
import { type FakeServer, fakeServer } from '../../support/fake-server.js';
import { processorTime } from '../../support/processor-time.js';
import { TestIssuer } from '../../support/test-issuer.js';
import { base64, secondsOf, startTrusting, whatOpens } from '../../support/trusted-issuer.js';

let node: TestService;
let server: FakeServer;
let issuer: TestIssuer;

beforeEach(async () => {
  ({ node, server, issuer } = await startTrusting());
});

const tryToken = (token: string | null) => whatOpens(node, token);
const seconds = () => secondsOf(node);
const claims = (more: object = {}) => ({ sub: ALICE, aud: BASE, exp: seconds() + 60, ...more });

describe('a token of an issuer', () => {
  test.each(['RS256', 'PS256', 'ES256', 'EdDSA'])('signed with %s speaks for its subject', async (alg) => {
    await connect(node, ALICE);
    await connect(node, BOB);
    await issuer.rotate(alg);
    const { status, json } = await node.send('/connection/', { token: await issuer.sign(claims(), { alg }) });
    expect([status, json.length]).toEqual([200, 1]);
  });

  test('speaks for its webid, if it has one', async () => {
    await connect(node, BOB);
    const token = await issuer.sign(claims({ webid: BOB, aud: ['solid', 'client'], sub: 'anything' }));
    expect((await node.send('/connection/', { token })).json).toHaveLength(1);
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
    const token = await issuer.sign({ ...claims(), ...more });
    const { status, challenge } = await tryToken(token);
    expect([status, challenge]).toEqual([401, expect.stringContaining('error="invalid_token"')]);
  });

  test('of an issuer whose name only begins like a trusted one is refused', async () => {
    expect(
      (await tryToken(await issuer.sign(claims({ iss: `${server.origin}.evil.example/` })))).status,
    ).toBe(401);
  });

  test('names its issuer in many slashes: compared in linear time', () => {
    const tokens = createIssuerTokens([server.origin], {
      audience: BASE,
      fetch: () => Promise.reject(new Error('nothing is fetched here')),
      clock: systemClock,
    });
    const busyMs = processorTime();
    expect(tokens.knows(`${server.origin}${'/'.repeat(200_000)}x`)).toBe(false);
    expect(tokens.knows(`${server.origin}///`)).toBe(true);
    expect(busyMs()).toBeLessThan(500);
  });

  test('a few seconds of difference between clocks are forgiven, no more', async () => {
    expect((await tryToken(await issuer.sign(claims({ exp: seconds() - 2 })))).status).toBe(200);
    expect((await tryToken(await issuer.sign(claims({ exp: seconds() - 10 })))).status).toBe(401);
  });

  test('unsigned, or signed with the public key as if it were a secret, is refused', async () => {
    await issuer.rotate('RS256');
    const [key] = issuer.keys;
    if (!key) throw new Error('no key');
    const payload = base64({ iss: issuer.url, ...claims() });
    for (const alg of ['none', 'NONE']) {
      expect((await tryToken(`${base64({ alg, kid: key.kid })}.${payload}.`)).status).toBe(401);
    }
    const jwks = await (await fetch(server.url('/jwks'))).text();
    for (const secret of [await exportSPKI(key.publicKey), jwks, JSON.stringify(JSON.parse(jwks).keys[0])]) {
      const head = `${base64({ alg: 'HS256', kid: key.kid })}.${payload}`;
      const signature = createHmac('sha256', secret).update(head).digest('base64url');
      expect((await tryToken(`${head}.${signature}`)).status).toBe(401);
    }
  });

  test('with a key of its own in the header is refused', async () => {
    const stranger = new TestIssuer(await fakeServer());
    await stranger.rotate();
    const [key] = stranger.keys;
    if (!key) throw new Error('no key');
    const token = await issuer.sign(claims(), { key: { ...key, kid: issuer.keys[0]?.kid ?? '' } });
    expect((await tryToken(token)).status).toBe(401);
  });
});

describe('the keys of an issuer', () => {
  const status = async () => (await tryToken(await issuer.sign(claims()))).status;

  test('are fetched once for many tokens, and again when one is unknown', async () => {
    for (let i = 0; i < 5; i++) expect(await status()).toBe(200);
    expect(server.count('/jwks')).toBe(1);
    const old = await issuer.sign(claims());
    await issuer.rotate();
    expect(await status()).toBe(200);
    expect(server.count('/jwks')).toBe(2);
    expect((await tryToken(old)).status).toBe(401);
  });

  test('are fetched again after a while, so that a withdrawn one ends', async () => {
    const claimed = claims({ exp: seconds() + 3600 });
    const old = await issuer.sign(claimed);
    expect((await tryToken(old)).status).toBe(200);
    await issuer.rotate();
    node.time.now += 11 * 60_000;
    expect((await tryToken(old)).status).toBe(401);
  });

  test('are not asked for without end by tokens with made-up keys', async () => {
    expect(await status()).toBe(200);
    const [key] = issuer.keys;
    if (!key) throw new Error('no key');
    for (let i = 0; i < 20; i++) {
      expect(
        (await tryToken(await issuer.sign(claims(), { key: { ...key, kid: `made-up-${i}` } }))).status,
      ).toBe(401);
    }
    expect(server.count('/jwks')).toBeLessThanOrEqual(6);
    expect(await status()).toBe(200);
  });

  test('serve on while the issuer is down; without any, the answer is 503, and logged without the token', async () => {
    expect(await status()).toBe(200);
    server.everything({ status: 500 });
    node.time.now += 11 * 60_000;
    expect(await status()).toBe(200);
    const fresh = await startService({ issuers: [server.origin] });
    const token = await issuer.sign(claims());
    const answer = await fresh.send('/connection/', { token });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '30']);
    expect(fresh.logged.join()).toContain('openid-configuration');
    expect(fresh.logged.join()).not.toContain(token.split('.')[2]);
    server.everything(undefined);
    expect((await fresh.send('/connection/', { token })).status).toBe(200);
  });

  test('are refused at once when the issuer gives itself a name of slashes', async () => {
    const body = { issuer: `${server.origin}${'/'.repeat(98_000)}x`, jwks_uri: server.url('/jwks') };
    server.on('/.well-known/openid-configuration', { body });
    const busyMs = processorTime();
    expect(await status()).toBe(503);
    expect(busyMs()).toBeLessThan(2_000);
  });

  test('after a failure, are not asked for again by each request: old ones serve for half a minute', async () => {
    expect(await status()).toBe(200);
    server.everything({ status: 500 });
    node.time.now += 11 * 60_000;
    const asked = () => server.count('/.well-known/openid-configuration');
    for (let i = 0; i < 3; i++) expect(await status()).toBe(200);
    expect(asked()).toBe(2);
    node.time.now += 30_000;
    expect(await status()).toBe(200);
    expect(asked()).toBe(3);
  });

  test.each([
    ['no key set', { keys: 'none' }],
    ['no JSON', '<html>'],
  ])('are not to be had, which is 503 and no fault of the token, when they are %s', async (_, body) => {
    server.on('/jwks', { body });
    expect(await status()).toBe(503);
  });

  test.each([
    ['another issuer', { issuer: 'https://evil.example/', jwks_uri: 'https://evil.example/jwks' }],
    ['no keys', { issuer: 'x' }],
    ['no JSON', '<html>'],
  ])('are not taken from a configuration that names %s', async (_, body) => {
    server.on('/.well-known/openid-configuration', { body });
    expect(await status()).toBe(503);
  });
});
