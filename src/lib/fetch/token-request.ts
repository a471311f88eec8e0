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
import type { Proofs } from './dpop-proof.js';
import type { GuardedFetch, Trust } from './guarded-fetch.js';
import { MetadataFault, readIssuerMetadata, trustIn } from './issuer-metadata.js';
import { webFetch } from './web-fetch.js';

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
  readonly proofs: Proofs;
}

/**
 * Exchanges client credentials for an access token bound to the key of the proofs (Solid-OIDC, section 8;
 * RFC 6749, section 4.4).
 *
 * @throws CredentialsFailure when the issuer gives none; FetchFailure when it cannot be reached
 */
export async function requestToken(request: TokenRequest): Promise<Grant> {
  const server = await metadataOf(request);
  let answer = await askForToken(request, server);
  // RFC 9449, section 8: the first request finds out that a nonce is needed, the second has it.
  if (answer.error === 'use_dpop_nonce') answer = await askForToken(request, server);
  const { status, error = '', granted } = answer;
  if (granted?.token_type === 'dpop' && SENDABLE.test(granted.access_token)) {
    const { access_token: accessToken, expires_in = DEFAULT_LIFETIME_S } = granted;
    return { accessToken, lifetimeMs: expires_in * 1000 };
  }
  const advice = Object.hasOwn(ADVICE, error) ? ADVICE[error] : NO_TOKEN;
  throw new CredentialsFailure(`the issuer ${request.issuer} answered ${status}: ${advice}`);
}

async function metadataOf({ fetch, issuer, trust }: TokenRequest): Promise<AuthorizationServer> {
  const found = await readIssuerMetadata(issuer, fetch, { trust, maxBytes: MAX_BYTES }).catch(
    (error: unknown) => {
      throw error instanceof MetadataFault ? new CredentialsFailure(error.message) : error;
    },
  );
  const { token_endpoint: endpoint } = found;
  if (endpoint === undefined) {
    throw new CredentialsFailure(`the issuer ${issuer} names no token endpoint: is it the issuer?`);
  }
  if (!endpoint.startsWith('https:') && new URL(endpoint).origin !== new URL(issuer).origin) {
    throw new CredentialsFailure(`the issuer ${issuer} wants the secret sent elsewhere without https`);
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
