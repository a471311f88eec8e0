import { createHash } from 'node:crypto';
import { SignJWT } from 'jose/jwt/sign';
import { exportJWK } from 'jose/key/export';
import { generateKeyPair } from 'jose/key/generate/keypair';
import * as z from 'zod';
import type { Clock } from '../clock.js';
import { jsonValue } from '../json.js';
import type { Credentials, GuardedFetch, Trust } from './guarded-fetch.js';
import { readIssuerMetadata, trustIn } from './issuer-metadata.js';

/** Client credentials, and the URL of the OIDC issuer that exchanges them for tokens. */
export interface ClientCredentials {
  readonly id: string;
  readonly secret: string;
  readonly issuer: string;
}

interface CredentialParts extends ClientCredentials {
  /** Who named the issuer: the operator (`configured`), or anybody else. */
  readonly trust: Trust;
  readonly fetch: GuardedFetch;
  readonly clock: Clock;
}

/** A token is not used in its last half minute: it must outlive the request, and clocks differ. */
const MARGIN_MS = 30_000;

/**
 * The right of one agent to read private pods, by client credentials (Solid-OIDC): an access token, asked for when it is
 * first used, and a fresh proof for each request (RFC 9449, section 7.1). `authorize` throws FetchFailure when the issuer
 * cannot be reached, and another Error, in words for the operator, when it gives no token.
 */
export function createPodCredentials(parts: CredentialParts): Required<Credentials> {
  const { clock } = parts;
  const proofs = createProofs(clock);
  let token: ReturnType<typeof requestToken> | undefined;

  /** One request to the issuer at a time, whoever asks. */
  const current = async () => {
    const before = token;
    const found = await before?.catch(() => undefined);
    if (found && clock.now() < found.usableUntil) return found;
    // Somebody else may have renewed it while this one was waiting.
    if (!token || token === before) token = requestToken(parts, proofs);
    return token;
  };

  return {
    async authorize({ url, method }) {
      const { value } = await current();
      return { authorization: `DPoP ${value}`, dpop: await proofs.prove(method, url, value) };
    },
    invalidate({ url, headers }) {
      proofs.takeNonce(url, headers);
      // Perhaps only a nonce was missing.
      if (!/\buse_dpop_nonce\b/.test(headers.get('www-authenticate') ?? '')) token = undefined;
    },
  };
}

const ALGORITHM = 'ES256';

type Proofs = ReturnType<typeof createProofs>;

/** Proofs of possession (RFC 9449), all with one key that exists only here, and the nonces that servers demand. */
function createProofs(clock: Clock) {
  /** By origin. */
  const nonces = new Map<string, string>();
  let key: ReturnType<typeof generateKeyPair> | undefined;
  let made = 0;
  return {
    /** A proof for one request (section 4.2), and for the access token that comes with it. */
    async prove(method: string, url: string, accessToken?: string): Promise<string> {
      key ??= generateKeyPair(ALGORITHM);
      const { privateKey, publicKey } = await key;
      const { origin, pathname } = new URL(url);
      const jwk = await exportJWK(publicKey);
      made += 1;
      const claims = {
        // The key is nobody else's, so this comes again nowhere.
        jti: `${jwk.x}-${made}`,
        htm: method,
        htu: origin + pathname,
        nonce: nonces.get(origin),
        ath: accessToken && createHash('sha256').update(accessToken).digest('base64url'),
      };
      return new SignJWT(claims)
        .setProtectedHeader({ alg: ALGORITHM, typ: 'dpop+jwt', jwk })
        .setIssuedAt(Math.floor(clock.now() / 1000))
        .sign(privateKey);
    },
    /** Keeps the nonce that a server gives out (section 8). */
    takeNonce(url: string, headers: Headers): void {
      const nonce = headers.get('dpop-nonce');
      if (nonce !== null) nonces.set(new URL(url).origin, nonce);
    },
  };
}

/** The lifetime of a token whose issuer names none. In seconds. */
const DEFAULT_LIFETIME_S = 300;
const MAX_BYTES = 100_000;

/** What the error codes of a token endpoint (RFC 6749, section 5.2) ask of the operator. */
const REVOKED = 'check the client id and secret, and whether they were revoked';
const ADVICE: ReadonlyMap<string | undefined, string> = new Map([
  ['invalid_client', REVOKED],
  ['invalid_grant', REVOKED],
  ['invalid_scope', 'it does not grant the scope "webid": name the Solid issuer of the pod'],
]);
const NO_TOKEN = 'it gave no DPoP-bound token for client credentials; see its log, or name another issuer';

/**
 * Exchanges client credentials for an access token bound to the key of the proofs (Solid-OIDC, section 8;
 * RFC 6749, section 4.4).
 *
 * @returns the token, and until when it is used, in milliseconds since the epoch
 * @throws Error when the issuer gives none, which never quotes it: it may have written the secret; FetchFailure when it
 * cannot be reached
 */
async function requestToken(parts: CredentialParts, proofs: Proofs) {
  const { clock, issuer } = parts;
  const asked = clock.now();
  const endpoint = await tokenEndpoint(parts);
  let answer = await askForToken(parts, proofs, endpoint);
  // RFC 9449, section 8: the first request finds out that a nonce is needed, the second has it.
  if (answer.error === 'use_dpop_nonce') answer = await askForToken(parts, proofs, endpoint);
  const { status, granted, error } = answer;
  if (!granted) throw new Error(`the issuer ${issuer} answered ${status}: ${ADVICE.get(error) ?? NO_TOKEN}`);
  const lifetimeMs = (granted.expires_in ?? DEFAULT_LIFETIME_S) * 1000;
  const usableMs = Math.max(lifetimeMs - MARGIN_MS, lifetimeMs / 2);
  return { value: granted.access_token, usableUntil: asked + usableMs };
}

async function tokenEndpoint({ fetch, issuer, trust }: CredentialParts): Promise<string> {
  const { token_endpoint: url } = await readIssuerMetadata(issuer, fetch, { trust, maxBytes: MAX_BYTES });
  if (url === undefined) throw new Error(`the issuer ${issuer} names no token endpoint: is it the issuer?`);
  if (!url.startsWith('https:') && new URL(url).origin !== new URL(issuer).origin)
    throw new Error(`the issuer ${issuer} wants the secret sent elsewhere without https`);
  return url;
}

const tokenAnswer = z.object({
  access_token: z.string().regex(/^[\x21-\x7e]+$/),
  token_type: z.string().regex(/^dpop$/i),
  expires_in: z.number().positive().optional(),
});
const tokenError = z.object({ error: z.string() });

async function askForToken(
  { fetch, id, secret, issuer, trust }: CredentialParts,
  proofs: Proofs,
  url: string,
) {
  const login = Buffer.from(`${formEncoded(id)}:${formEncoded(secret)}`).toString('base64');
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      ...{ accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
      ...{ authorization: `Basic ${login}`, dpop: await proofs.prove('POST', url) },
    },
    body: 'grant_type=client_credentials&scope=webid',
    trust: trustIn(url, { issuer, trust }),
    maxBytes: MAX_BYTES,
    isCounted: false,
  });
  proofs.takeNonce(url, answer.headers);
  const { status } = answer;
  const said = jsonValue(await answer.text());
  const granted = status === 200 ? tokenAnswer.safeParse(said).data : undefined;
  return { status, granted, error: tokenError.safeParse(said).data?.error };
}

/** RFC 6749, section 2.3.1, and appendix B. */
function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}
