import { createHash } from 'node:crypto';
import { calculateJwkThumbprint, EmbeddedJWK, type JWTPayload, jwtVerify } from 'jose';
import { beforeEach, expect, it } from 'vitest';
import type { Clock } from '../../../src/lib/clock.js';
import type { GuardedFetch } from '../../../src/lib/fetch/guarded-fetch.js';
import { createPodCredentials } from '../../../src/lib/fetch/solid-oidc.js';
import {
  type FakeAnswer,
  type FakeServer,
  fakeServer,
  redirect,
  type SeenRequest,
} from '../../support/fake-server.js';
import { configured, door } from '../../support/guarded-doors.js';
import { waitFor } from '../../support/wait-for.js';

const ID = 'a node: 100%';
const SECRET = 'hush: 50 %';

let server: FakeServer;
let fetch: GuardedFetch;
let now = 0;
const clock: Clock = { now: () => now, sleep: () => Promise.reject(new Error('nothing sleeps here')) };

const credentials = () =>
  createPodCredentials({ ...configured, fetch, clock, id: ID, secret: SECRET, issuer: server.origin });
const issuer = (more: { nonce?: string; lifetimeSeconds?: number } = {}) =>
  actAsIssuer(server, { id: ID, secret: SECRET, now: () => now, ...more });
const aDocument = () => ({ method: 'GET', url: server.url('/private/a?b#c') });

beforeEach(async () => {
  now = Date.UTC(2026, 10, 20);
  server = await fakeServer();
  fetch = door();
});

it('reads a private document: a token bound to its key, and a proof for this very request', async () => {
  issuer();
  server.on('/private/a', { body: 'private' });
  const answer = await fetch(aDocument().url, { ...configured, credentials: credentials() });
  expect(await answer.text()).toBe('private');
  const [, tokenRequest, read] = server.requests;
  if (!tokenRequest || !read) throw new Error('three requests expected');
  expect(read.headers.authorization).toBe('DPoP token-1');
  const proof = await verifiedProof(read, server.url('/private/a'), now);
  expect(proof.ath).toBe(tokenHash('token-1'));
  expect(proof.key).toBe((await verifiedProof(tokenRequest, server.url('/token'), now)).key);
});

it('asks for one token, however many want it, until shortly before its end', async () => {
  issuer({ lifetimeSeconds: 600 });
  const { authorize } = credentials();
  const ask = () => Promise.all([authorize(aDocument()), authorize(aDocument()), authorize(aDocument())]);
  await ask();
  now += 569_000;
  await ask();
  expect(server.count('/token')).toBe(1);
  now += 2_000;
  const renewed = await ask();
  expect(renewed.map(({ authorization }) => authorization)).toEqual(Array(3).fill('DPoP token-2'));
  expect(server.count('/token')).toBe(2);
});

it('asks anew after a 401', async () => {
  issuer();
  const { authorize, invalidate } = credentials();
  await authorize(aDocument());
  invalidate({ url: aDocument().url, headers: new Headers() });
  expect(await authorize(aDocument())).toMatchObject({ authorization: 'DPoP token-2' });
});

it('gives the issuer the nonce that it demands', async () => {
  issuer({ nonce: 'n-1' });
  expect(await credentials().authorize(aDocument())).toMatchObject({ authorization: 'DPoP token-1' });
  expect(server.count('/token')).toBe(2);
});

it('gives the pod the nonce that it demands, with the same token', async () => {
  issuer();
  server.on('/private/a', (request) =>
    verifiedProof(request, server.url('/private/a'), now).then(({ nonce }) =>
      nonce === 'n-2'
        ? { body: 'private' }
        : {
            status: 401,
            headers: { 'www-authenticate': 'DPoP error="use_dpop_nonce"', 'dpop-nonce': 'n-2' },
          },
    ),
  );
  const answer = await fetch(aDocument().url, { ...configured, credentials: credentials() });
  expect([answer.status, server.count('/private/a')]).toEqual([200, 2]);
  expect(server.count('/token')).toBe(1);
});

it('keeps nobody waiting who has given up on the document, when the issuer never answers', async () => {
  server.everything({ hang: 'answer' });
  const caller = new AbortController();
  const options = { ...configured, credentials: credentials(), signal: caller.signal };
  const asked = fetch(aDocument().url, options);
  await waitFor(() => server.requests.length === 1);
  caller.abort('stopping');
  await expect(asked).rejects.toMatchObject({ reason: 'aborted', cause: 'stopping' });
});

it('does not remember a failure', async () => {
  server.everything({ status: 503 });
  const { authorize } = credentials();
  await expect(authorize(aDocument())).rejects.toThrow(/answered 503/);
  server.everything(undefined);
  issuer();
  expect(await authorize(aDocument())).toMatchObject({ authorization: 'DPoP token-1' });
});

const leaks = { error: SECRET, error_description: SECRET };
it.each<[what: string, said: object | string, answer?: FakeAnswer]>([
  ['it is no issuer', '<html>'],
  ['it speaks for another', { issuer: 'https://other.test' }],
  ['it wants the secret sent elsewhere in the open', { token_endpoint: 'http://other.test/token' }],
  ['it echoes the secret', {}, { status: 400, body: leaks }],
  ['it redirects the secret', {}, redirect('/b', 307)],
  ['it does not answer', {}, { drop: true }],
])('fails without a word of the secret when %s', async (_, said, answer) => {
  const endpoint = { issuer: server.origin, token_endpoint: server.url('/token') };
  const body = typeof said === 'string' ? said : { ...endpoint, ...said };
  server.on('/.well-known/openid-configuration', { body }).on('/token', answer ?? {});
  const error = await credentials()
    .authorize(aDocument())
    .catch((failure: Error) => failure);
  if (!(error instanceof Error)) throw new Error('a failure expected');
  expect(error.message).toMatch(/127\.0\.0\.1/);
  const told = [error.message, error.stack, JSON.stringify(error), String(error.cause)].join('\n');
  expect(told).not.toContain(SECRET);
  expect(told).not.toContain(Buffer.from(SECRET).toString('base64'));
});

interface IssuerOptions {
  id: string;
  secret: string;
  lifetimeSeconds?: number;
  /** Demanded in proofs to the token endpoint. */
  nonce?: string;
  /** The time that proofs must be made at. */
  now: () => number;
}

/** Makes a fake server a Solid-OIDC issuer that really verifies what it is sent. */
function actAsIssuer(server: FakeServer, options: IssuerOptions): void {
  let issued = 0;
  server.on('/.well-known/openid-configuration', {
    body: { issuer: `${server.origin}/`, token_endpoint: server.url('/token') },
  });
  server.on('POST /token', async (request) => {
    if (request.headers.authorization !== basic(options)) return refusal('invalid_client');
    const proof = await verifiedProof(request, server.url('/token'), options.now());
    if (proof.nonce !== options.nonce)
      return refusal('use_dpop_nonce', { 'dpop-nonce': options.nonce ?? '' });
    const { grant_type, scope } = Object.fromEntries(new URLSearchParams(request.body));
    if (grant_type !== 'client_credentials' || scope !== 'webid') return refusal('invalid_request');
    const lifetime = options.lifetimeSeconds ?? 600;
    return { body: { access_token: `token-${++issued}`, token_type: 'DPoP', expires_in: lifetime } };
  });
}

/**
 * The claims of a proof (RFC 9449, section 4.3) that fits its request, and the thumbprint of its key.
 *
 * @throws Error when it does not fit
 */
async function verifiedProof(
  { method, headers }: SeenRequest,
  htu: string,
  now: number,
): Promise<JWTPayload & { key: string }> {
  const { payload, protectedHeader } = await jwtVerify(String(headers.dpop), EmbeddedJWK, {
    typ: 'dpop+jwt',
    algorithms: ['ES256'],
    maxTokenAge: 60,
    currentDate: new Date(now),
    requiredClaims: ['jti', 'htm', 'htu', 'iat'],
  });
  if (payload.htm !== method || payload.htu !== htu)
    throw new Error(`a proof for ${payload.htm} ${payload.htu}`);
  if (!protectedHeader.jwk || 'd' in protectedHeader.jwk) throw new Error('no public key');
  const key = await calculateJwkThumbprint(protectedHeader.jwk);
  return { ...payload, key };
}

const tokenHash = (token: string): string => createHash('sha256').update(token).digest('base64url');

/** Written out by hand, so that it shares no mistake with what is tested: for ids and secrets of these characters only. */
function basic({ id, secret }: IssuerOptions): string {
  const encode = (text: string) => text.replaceAll('%', '%25').replaceAll(':', '%3A').replaceAll(' ', '+');
  return `Basic ${Buffer.from(`${encode(id)}:${encode(secret)}`).toString('base64')}`;
}

function refusal(error: string, headers: Record<string, string> = {}): FakeAnswer {
  return { status: error === 'invalid_client' ? 401 : 400, headers, body: { error } };
}
