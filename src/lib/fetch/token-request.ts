import { z } from 'zod';
import type { Proofs } from './dpop-proof.js';
import type { FetchAnswer, FetchRequest, GuardedFetch, Trust } from './guarded-fetch.js';

/** Why no token could be had, in words for the operator. Never holds the secret, nor what the issuer wrote. */
export class CredentialsFailure extends Error {
  override readonly name = 'CredentialsFailure';
}

export interface ClientCredentials {
  readonly id: string;
  readonly secret: string;
  /** URL of the OIDC issuer that exchanges id and secret for tokens. */
  readonly issuer: string;
  /** Who named the issuer: the operator (`configured`), or anybody else. */
  readonly trust: Trust;
}

export interface Grant {
  readonly accessToken: string;
  readonly lifetimeMs: number;
}

const MAX_BYTES = 100_000;

const Discovery = z.object({ issuer: z.string(), token_endpoint: z.url() });
const Granted = z.object({
  access_token: z.string().regex(/^[\x21-\x7e]+$/),
  token_type: z.string().regex(/^dpop$/i),
  expires_in: z.number().positive().default(300),
});
const Refused = z.object({ error: z.string() });

/** What the error codes of a token endpoint (RFC 6749, section 5.2) ask of the operator. */
const ADVICE = new Map([
  ['invalid_client', 'check the client id and secret, and whether they were revoked'],
  ['invalid_grant', 'check the client id and secret, and whether they were revoked'],
  ['unauthorized_client', 'this client may not use client credentials there'],
  ['unsupported_grant_type', 'it does not support client credentials: name the right issuer of the pod'],
  ['invalid_scope', 'it does not grant the scope "webid": name the Solid issuer of the pod'],
]);

/**
 * Exchanges client credentials for an access token bound to the key of the proofs (Solid-OIDC, section 8;
 * RFC 6749, section 4.4).
 *
 * @throws CredentialsFailure when the issuer gives none; FetchFailure when it cannot be reached
 */
export async function requestToken(
  fetch: GuardedFetch,
  credentials: ClientCredentials,
  proofs: Proofs,
): Promise<Grant> {
  const endpoint = await discover(fetch, credentials);
  let answer = await askForToken(fetch, credentials, endpoint, proofs);
  // RFC 9449, section 8: the first request finds out that a nonce is needed, the second has it.
  if (answer.error === 'use_dpop_nonce') answer = await askForToken(fetch, credentials, endpoint, proofs);
  const granted = Granted.safeParse(answer.json);
  if (answer.status === 200 && granted.success) {
    return { accessToken: granted.data.access_token, lifetimeMs: granted.data.expires_in * 1000 };
  }
  const advice =
    ADVICE.get(answer.error ?? '') ?? 'it gave no DPoP-bound token; see its log, or name another issuer';
  throw new CredentialsFailure(`the issuer ${credentials.issuer} answered ${answer.status}: ${advice}`);
}

/** The token endpoint of an issuer (OpenID Connect Discovery, section 4). */
async function discover(fetch: GuardedFetch, { issuer, trust }: ClientCredentials): Promise<string> {
  const url = `${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`;
  const answer = await fetch(url, {
    trust,
    maxBytes: MAX_BYTES,
    headers: { accept: 'application/json' },
  });
  const found = Discovery.safeParse(await jsonOf(answer));
  if (answer.status !== 200 || !found.success) {
    throw new CredentialsFailure(
      `${url} answered ${answer.status} and names no token endpoint: is it the issuer?`,
    );
  }
  const { issuer: named, token_endpoint: endpoint } = found.data;
  if (named.replace(/\/+$/, '') !== issuer.replace(/\/+$/, '')) {
    throw new CredentialsFailure(`${url} is the configuration of another issuer: configure the one it names`);
  }
  if (!endpoint.startsWith('https:') && !sameOrigin(endpoint, issuer)) {
    throw new CredentialsFailure(`the issuer ${issuer} wants the secret sent elsewhere without https`);
  }
  return endpoint;
}

async function askForToken(fetch: GuardedFetch, credentials: ClientCredentials, url: string, proofs: Proofs) {
  const { id, secret, issuer, trust } = credentials;
  const request: FetchRequest = {
    method: 'POST',
    // Trust was put in the issuer; what it names beyond its own origin is learned.
    trust: sameOrigin(url, issuer) ? trust : 'learned',
    maxBytes: MAX_BYTES,
    headers: {
      accept: 'application/json',
      authorization: `Basic ${Buffer.from(`${formEncoded(id)}:${formEncoded(secret)}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
      dpop: await proofs.prove({ url, method: 'POST' }),
    },
    body: 'grant_type=client_credentials&scope=webid',
  };
  const answer = await fetch(url, request);
  proofs.takeNonce(answer);
  const json = await jsonOf(answer);
  return { status: answer.status, json, error: Refused.safeParse(json).data?.error };
}

/** Undefined when it is no JSON. The error that says so quotes the text, tokens included: it goes no further. */
async function jsonOf(answer: FetchAnswer): Promise<unknown> {
  const text = await answer.text();
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** RFC 6749, section 2.3.1: id and secret are form-encoded before they become user name and password. */
const formEncoded = (text: string) => new URLSearchParams({ '': text }).toString().slice(1);

const sameOrigin = (one: string, other: string) => new URL(one).origin === new URL(other).origin;
