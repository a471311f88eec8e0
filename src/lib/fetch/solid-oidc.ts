import {
  type AuthorizationServer,
  allowInsecureRequests,
  ClientSecretBasic,
  clientCredentialsGrantRequest,
  customFetch,
  processClientCredentialsResponse,
  ResponseBodyError,
  type TokenEndpointResponse,
} from 'oauth4webapi';
import type { Clock } from '../clock.js';
import type { Credentials } from './authorized-fetch.js';
import { createProofs, type Proofs } from './dpop-proof.js';
import type { GuardedFetch, Trust } from './guarded-fetch.js';
import { IssuerFault, readIssuerMetadata, trustIn } from './issuer-metadata.js';
import { webFetch } from './web-fetch.js';

export interface ClientCredentials {
  readonly id: string;
  readonly secret: string;
  /** URL of the OIDC issuer that exchanges id and secret for tokens. */
  readonly issuer: string;
  /** Who named the issuer: the operator (`configured`), or anybody else. */
  readonly trust: Trust;
}

interface Token {
  readonly value: string;
  /** Milliseconds since the epoch. */
  readonly usableUntil: number;
}

/** A token is not used in its last half minute: it must outlive the request, and clocks differ. */
const MARGIN_MS = 30_000;

/**
 * The right of one agent to read private pods, by client credentials (Solid-OIDC): an access token, asked for when it is
 * first used, and a fresh proof for each request (RFC 9449, section 7.1). `authorize` throws IssuerFault when the
 * issuer gives no token, FetchFailure when it cannot be reached.
 */
export function createPodCredentials(options: Omit<TokenRequest, 'proofs'>): Required<Credentials> {
  const { clock } = options;
  const proofs = createProofs(clock);
  let token: Promise<Token> | undefined;

  /** One request to the issuer at a time, whoever asks; a failed one is not remembered. */
  const renew = (): Promise<Token> => {
    const asked = requestToken({ ...options, proofs });
    token = asked;
    asked.catch(() => {
      if (token === asked) token = undefined;
    });
    return asked;
  };

  const current = async (): Promise<Token> => {
    const before = token;
    const found = await before;
    if (found && clock.now() < found.usableUntil) return found;
    // Somebody else may have renewed it while this one was waiting.
    return token && token !== before ? token : renew();
  };

  return {
    async authorize({ url, method }) {
      const { value } = await current();
      return proofs.headersFor({ url, method, accessToken: value });
    },
    invalidate(refusal) {
      // Perhaps only a nonce was missing.
      if (proofs.takeNonce(refusal)) return;
      token = undefined;
    },
  };
}

/** The lifetime of a token whose issuer names none. In seconds. */
const DEFAULT_LIFETIME_S = 300;
const MAX_BYTES = 100_000;

/** What a header field can carry without being changed. */
const SENDABLE = /^[\x21-\x7e]+$/;

/** What the error codes of a token endpoint (RFC 6749, section 5.2) ask of the operator. */
const ADVICE: Readonly<Record<string, string>> = {
  invalid_client: 'check the client id and secret, and whether they were revoked',
  invalid_grant: 'check the client id and secret, and whether they were revoked',
  invalid_scope: 'it does not grant the scope "webid": name the Solid issuer of the pod',
};
const NO_TOKEN = 'it gave no DPoP-bound token for client credentials; see its log, or name another issuer';

interface TokenRequest extends ClientCredentials {
  readonly fetch: GuardedFetch;
  readonly clock: Clock;
  readonly proofs: Proofs;
}

/**
 * Exchanges client credentials for an access token bound to the key of the proofs (Solid-OIDC, section 8;
 * RFC 6749, section 4.4).
 *
 * @throws IssuerFault when the issuer gives none; FetchFailure when it cannot be reached
 */
async function requestToken(request: TokenRequest): Promise<Token> {
  const asked = request.clock.now();
  const server = await serverOf(request);
  let answer = await askForToken(request, server);
  // RFC 9449, section 8: the first request finds out that a nonce is needed, the second has it.
  if (answer.error === 'use_dpop_nonce') answer = await askForToken(request, server);
  const { status, error = '', granted } = answer;
  if (granted?.token_type === 'dpop' && SENDABLE.test(granted.access_token)) {
    const { access_token: value, expires_in = DEFAULT_LIFETIME_S } = granted;
    const lifetimeMs = expires_in * 1000;
    return { value, usableUntil: asked + Math.max(lifetimeMs - MARGIN_MS, lifetimeMs / 2) };
  }
  const advice = Object.hasOwn(ADVICE, error) ? ADVICE[error] : NO_TOKEN;
  throw new IssuerFault(`the issuer ${request.issuer} answered ${status}: ${advice}`);
}

async function serverOf({ fetch, issuer, trust }: TokenRequest): Promise<AuthorizationServer> {
  const found = await readIssuerMetadata(issuer, fetch, { trust, maxBytes: MAX_BYTES });
  const { token_endpoint: endpoint } = found;
  if (endpoint === undefined) {
    throw new IssuerFault(`the issuer ${issuer} names no token endpoint: is it the issuer?`);
  }
  if (!endpoint.startsWith('https:') && new URL(endpoint).origin !== new URL(issuer).origin) {
    throw new IssuerFault(`the issuer ${issuer} wants the secret sent elsewhere without https`);
  }
  return { issuer: found.issuer, token_endpoint: endpoint };
}

interface TokenAnswer {
  readonly status: number;
  /** The error code of the issuer; empty when the answer is none that OAuth knows. */
  readonly error?: string;
  readonly granted?: TokenEndpointResponse;
}

async function askForToken(request: TokenRequest, server: AuthorizationServer): Promise<TokenAnswer> {
  const { fetch, proofs, id, secret, issuer, trust } = request;
  const client = { client_id: id };
  const url = server.token_endpoint ?? '';
  const bounds = { trust: trustIn(url, { issuer, trust }), maxBytes: MAX_BYTES };
  const parameters = new URLSearchParams({ scope: 'webid' });
  const answer = await clientCredentialsGrantRequest(server, client, ClientSecretBasic(secret), parameters, {
    DPoP: await proofs.handle(),
    // The rules about plain http are those of the guarded fetch.
    [allowInsecureRequests]: true,
    [customFetch]: webFetch(fetch, bounds),
  });
  const { status, headers } = answer;
  proofs.takeNonce({ url, headers });
  try {
    return { status, granted: await processClientCredentialsResponse(server, client, answer) };
  } catch (error) {
    // Errors of the library quote the issuer, which may quote the secret: only the code goes further.
    return { status, error: error instanceof ResponseBodyError ? error.error : '' };
  }
}
