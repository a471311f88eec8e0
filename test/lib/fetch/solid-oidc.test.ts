import { createHash } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, type JWTPayload } from 'jose';
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
/** Both as RFC 6749, section 2.3.1 has them encoded. */
const BASIC = `Basic ${btoa('a+node%3A+100%25:hush%3A+50+%25')}`;

let server: FakeServer;
let fetch: GuardedFetch;
let now = 0;
const clock: Clock = { now: () => now, sleep: () => Promise.reject(new Error('nothing sleeps here')) };

const credentials = () =>
  createPodCredentials({ ...configured, fetch, clock, id: ID, secret: SECRET, issuer: server.origin });
const issuer = (options: IssuerOptions = {}) => actAsIssuer(server, options);
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
  // A real server verifies them in test/acceptance/pod.test.ts.
  const [token, proof] = [proofIn(tokenRequest), proofIn(read)];
  expect(token).toMatchObject({ htm: 'POST', htu: server.url('/token'), iat: now / 1000 });
  const ath = createHash('sha256').update('token-1').digest('base64url');
  expect(proof).toMatchObject({ htm: 'GET', htu: server.url('/private/a'), iat: now / 1000, ath });
  expect([proof.jwk, proof.jti === token.jti]).toEqual([token.jwk, false]);
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
  const unauthorized = { 'www-authenticate': 'DPoP error="use_dpop_nonce"', 'dpop-nonce': 'n-2' };
  server.on('/private/a', (request) =>
    proofIn(request).nonce === 'n-2' ? { body: 'private' } : { status: 401, headers: unauthorized },
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
  lifetimeSeconds?: number;
  /** Demanded in proofs to the token endpoint. */
  nonce?: string;
}

/** Makes a fake server a Solid-OIDC issuer. */
function actAsIssuer(server: FakeServer, options: IssuerOptions): void {
  let issued = 0;
  server.on('/.well-known/openid-configuration', {
    body: { issuer: `${server.origin}/`, token_endpoint: server.url('/token') },
  });
  server.on('POST /token', (request) => {
    if (request.headers.authorization !== BASIC) return refusal('invalid_client');
    if (proofIn(request).nonce !== options.nonce)
      return refusal('use_dpop_nonce', { 'dpop-nonce': options.nonce ?? '' });
    const { grant_type, scope } = Object.fromEntries(new URLSearchParams(request.body));
    if (grant_type !== 'client_credentials' || scope !== 'webid') return refusal('invalid_request');
    const lifetime = options.lifetimeSeconds ?? 600;
    return { body: { access_token: `token-${++issued}`, token_type: 'DPoP', expires_in: lifetime } };
  });
}

/** What a proof claims (RFC 9449, section 4.2), and the key that it names. */
function proofIn({ headers }: SeenRequest): JWTPayload {
  const proof = String(headers.dpop);
  return { ...decodeJwt(proof), jwk: decodeProtectedHeader(proof).jwk };
}

function refusal(error: string, headers: Record<string, string> = {}): FakeAnswer {
  return { status: error === 'invalid_client' ? 401 : 400, headers, body: { error } };
}
