import { createHmac } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { issueToken, OWN_ISSUER } from '../../../src/connection/tokens/holder-token.js';
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
import { base64, secondsOf, startTrusting, whatOpens } from '../../support/trusted-issuer.js';

let node: TestService;

beforeEach(async () => {
  ({ node } = await startTrusting());
});

const tryToken = (token: string | null) => whatOpens(node, token);
const seconds = () => secondsOf(node);

describe('without a good token', () => {
  test.each([null, '', ' ', 'a b'])('%j: 401 that asks for one', async (token) => {
    expect(await tryToken(token)).toMatchObject({
      status: 401,
      challenge: 'Bearer realm="connection service"',
    });
  });

  test('in another scheme, or in the URL: 401', async () => {
    const headers = { authorization: `Basic ${OPERATOR}` };
    expect((await node.send('/connection/', { token: null, headers })).status).toBe(401);
    expect((await node.send(`/connection/?access_token=${OPERATOR}`, { token: null })).status).toBe(401);
  });

  test.each(['x', `${OPERATOR}x`, OPERATOR.slice(1), 'a.b.c', `${base64({ alg: 'ES256' })}.${base64({})}.x`])(
    '%s: 401 that says it is wrong',
    async (token) => {
      const { status, challenge } = await tryToken(token);
      expect(status).toBe(401);
      expect(challenge).toContain('error="invalid_token"');
    },
  );

  test('of the operator, where there is none: 401', async () => {
    const bare = await startService({ operatorToken: null });
    expect((await bare.send('/connection/', { token: OPERATOR })).status).toBe(401);
    expect((await bare.send('/connection/', { token: 'undefined' })).status).toBe(401);
  });
});

describe('a token of the node itself', () => {
  test('reaches the records of its holder, until it expires', async () => {
    await connect(node, ALICE);
    await connect(node, BOB);
    const token = await node.token(ALICE, 60_000);
    expect((await node.send('/connection/', { token })).json).toHaveLength(1);
    node.time.now += 60_001;
    expect(await tryToken(token)).toMatchObject({
      status: 401,
      challenge: expect.stringContaining('it has expired'),
    });
  });

  test('is none when made with another key, without an end, or for something else', async () => {
    const key = new Uint8Array(32);
    expect(
      (await tryToken(await issueToken({ holder: ALICE, expires: node.time.now + 1e6 }, key, node.time.now)))
        .status,
    ).toBe(401);
    const own = await loadKeys(node.dataDir);
    const signed = (payload: object, secret = own.token) => {
      const head = `${base64({ alg: 'HS256', typ: 'JWT' })}.${base64(payload)}`;
      return `${head}.${createHmac('sha256', secret).update(head).digest('base64url')}`;
    };
    const good = { iss: OWN_ISSUER, aud: OWN_ISSUER, sub: ALICE, exp: seconds() + 60 };
    expect((await tryToken(signed(good))).status).toBe(200);
    for (const bad of [{ exp: undefined }, { aud: BASE }, { sub: undefined }, { exp: seconds() - 1 }]) {
      expect((await tryToken(signed({ ...good, ...bad }))).status, JSON.stringify(bad)).toBe(401);
    }
    // The secret that signs invite links signs no tokens.
    expect((await tryToken(signed(good, own.invite))).status).toBe(401);
  });

  test('that version 0.2.0 made for less than everything of a holder is refused', async () => {
    const { token: secret } = await loadKeys(node.dataDir);
    const claims = { iss: OWN_ISSUER, aud: OWN_ISSUER, sub: ALICE, exp: seconds() + 60 };
    const scoped = (scope: string) => {
      const head = `${base64({ alg: 'HS256', typ: 'JWT' })}.${base64({ ...claims, scope })}`;
      return tryToken(`${head}.${createHmac('sha256', secret).update(head).digest('base64url')}`);
    };
    expect((await scoped('write')).status).toBe(200);
    for (const scope of ['read', 'invite']) {
      const { status, challenge } = await scoped(scope);
      expect(status, scope).toBe(401);
      expect(challenge).toContain('make a new one');
    }
  });

  test('is none when its claims are not what they should be, before anybody has verified them', async () => {
    for (const iss of [1, true, null, {}, [OWN_ISSUER], '']) {
      const token = `${base64({ alg: 'HS256' })}.${base64({ iss })}.AAAA`;
      expect((await tryToken(token)).status, JSON.stringify(iss)).toBe(401);
    }
    for (const payload of [7, 'x', []]) {
      expect((await tryToken(`${base64({ alg: 'HS256' })}.${base64(payload as never)}.AAAA`)).status).toBe(
        401,
      );
    }
  });

  test('has one spelling only: other last letters of its parts decode to the same bytes', async () => {
    const token = await node.token(ALICE);
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const parts = token.split('.');
    let others = 0;
    for (const [place, part] of parts.entries()) {
      for (const letter of [...letters, `${part.slice(-1)}=`]) {
        const other = part.slice(0, -1) + letter;
        const isSame = Buffer.from(other, 'base64url').equals(Buffer.from(part, 'base64url'));
        if (other === part || !isSame) continue;
        others += 1;
        expect((await tryToken(parts.with(place, other).join('.'))).status).toBe(401);
      }
    }
    expect(others).toBeGreaterThan(3);
    expect((await tryToken(token)).status).toBe(200);
  });

  test('is none without a signature', async () => {
    const payload = { iss: OWN_ISSUER, aud: OWN_ISSUER, sub: ALICE, exp: seconds() + 60 };
    for (const alg of ['none', 'None', 'HS256']) {
      expect((await tryToken(`${base64({ alg, typ: 'JWT' })}.${base64(payload)}.`)).status, alg).toBe(401);
    }
  });
});
