import {
  type AuthorizationServer,
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  type Client,
  calculatePKCECodeChallenge,
  customFetch,
  dynamicClientRegistrationRequest,
  generateRandomCodeVerifier,
  generateRandomState,
  None,
  processAuthorizationCodeResponse,
  processDynamicClientRegistrationResponse,
  validateAuthResponse,
} from 'oauth4webapi';
import type { Clock } from '../clock.js';
import { type LoopbackRedirect, listenForRedirect } from '../http/loopback-redirect.js';
import type { Credentials } from './authorized-fetch.js';
import { createProofs, type Proofs } from './dpop-proof.js';
import type { GuardedFetch } from './guarded-fetch.js';
import { readIssuerMetadata } from './issuer-metadata.js';
import { webFetch } from './web-fetch.js';

export interface SignInOptions {
  /** URL of the OIDC issuer. */
  readonly issuer: string;
  /** How the program calls itself to those who are asked to let it in. */
  readonly name: string;
  readonly fetch: GuardedFetch;
  readonly clock: Clock;
  /** Shows the address at which people sign in. */
  readonly show: (url: string) => void;
  readonly signal: AbortSignal;
}

const MAX_BYTES = 100_000;

/**
 * The right to act for whoever signs in, in a browser: authorization code with PKCE (RFC 7636), a redirect to this machine (RFC
 * 8252), a client that is registered for this once (RFC 7591), and a token that is bound to a key which exists only here (Solid-OIDC;
 * RFC 9449). Nothing of it is written down anywhere.
 * @throws Error that says what to do; FetchFailure when the issuer cannot be reached
 */
export async function signIn(options: SignInOptions): Promise<Credentials> {
  const redirect = await listenForRedirect();
  try {
    return await throughBrowser(options, redirect);
  } finally {
    redirect.close();
  }
}

async function throughBrowser(options: SignInOptions, redirect: LoopbackRedirect): Promise<Credentials> {
  const { fetch, clock, issuer, show, signal } = options;
  const bounds = { trust: 'configured', maxBytes: MAX_BYTES } as const;
  const server: AuthorizationServer = { ...(await readIssuerMetadata(issuer, fetch, bounds)) };
  const sent = { [allowInsecureRequests]: true, [customFetch]: webFetch(fetch, bounds) };
  const client = await registered(server, redirect.url, options.name, sent);
  const [verifier, state] = [generateRandomCodeVerifier(), generateRandomState()];
  show(await signInPage(server, client, redirect.url, { verifier, state }));
  const parameters = await codeIn(await redirect.arrived(signal), { server, client, state });
  const proofs = createProofs(clock);
  const granted = async () => {
    const answer = await authorizationCodeGrantRequest(
      server,
      client,
      None(),
      parameters,
      redirect.url,
      verifier,
      {
        ...sent,
        DPoP: await proofs.handle(),
      },
    );
    const { token_type, access_token } = await processAuthorizationCodeResponse(server, client, answer);
    if (token_type !== 'dpop') throw new Error('the token is not bound to a key');
    return access_token;
  };
  const token = await granted().catch((cause: unknown) => {
    throw new Error(`${issuer} gave no token for this sign-in: try again`, { cause: nameOnly(cause) });
  });
  return rightOf(token, proofs);
}

/** What libraries say of a failed exchange may quote the code or the token: only their name goes further. */
function nameOnly(error: unknown): Error {
  return new Error(error instanceof Error ? error.name : 'unknown');
}

function rightOf(accessToken: string, proofs: Proofs): Credentials {
  return {
    authorize: ({ url, method }) => proofs.headersFor({ url, method, accessToken }),
    invalidate: (refusal) => {
      proofs.takeNonce(refusal);
    },
  };
}

async function registered(
  server: AuthorizationServer,
  redirect: string,
  name: string,
  sent: object,
): Promise<Client> {
  if (!server.authorization_endpoint || !server.registration_endpoint)
    throw new Error(
      `${server.issuer} lets no program make itself known: use client credentials (POD_CLIENT_ID, POD_CLIENT_SECRET)`,
    );
  const about = {
    client_name: name,
    application_type: 'native',
    redirect_uris: [redirect],
    grant_types: ['authorization_code'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    scope: 'openid webid',
  };
  return processDynamicClientRegistrationResponse(
    await dynamicClientRegistrationRequest(server, about, sent),
  );
}

async function signInPage(
  { authorization_endpoint = '' }: AuthorizationServer,
  { client_id }: Client,
  redirect_uri: string,
  { verifier, state }: { verifier: string; state: string },
): Promise<string> {
  const page = new URL(authorization_endpoint);
  const parameters = {
    response_type: 'code',
    client_id,
    redirect_uri,
    scope: 'openid webid',
    state,
    prompt: 'consent',
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  };
  for (const [key, value] of Object.entries(parameters)) page.searchParams.set(key, value);
  return page.href;
}

async function codeIn(
  arrived: URL,
  { server, client, state }: { server: AuthorizationServer; client: Client; state: string },
): Promise<URLSearchParams> {
  const error = arrived.searchParams.get('error');
  if (error === 'access_denied') throw new Error('the sign-in was declined');
  try {
    return validateAuthResponse(server, client, arrived, state);
  } catch (cause) {
    throw new Error('the browser came back with an answer to another sign-in: try again', {
      cause: nameOnly(cause),
    });
  }
}
