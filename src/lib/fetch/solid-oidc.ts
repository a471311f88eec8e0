import type { Clock } from '../clock.js';
import type { Credentials } from './authorized-fetch.js';
import { createProofs } from './dpop-proof.js';
import type { GuardedFetch } from './guarded-fetch.js';
import { type ClientCredentials, requestToken } from './token-request.js';

interface Token {
  readonly value: string;
  /** Milliseconds since the epoch. */
  readonly usableUntil: number;
}

/** A token is not used in its last half minute: it must outlive the request, and clocks differ. */
const MARGIN_MS = 30_000;

/**
 * The right of one agent to read private pods, by client credentials (Solid-OIDC): an access token, asked for when it is
 * first used, and a fresh proof for each request (RFC 9449, section 7.1). `authorize` throws CredentialsFailure when the
 * issuer gives no token, FetchFailure when it cannot be reached.
 */
export function createPodCredentials(
  options: ClientCredentials & { fetch: GuardedFetch; clock: Clock },
): Required<Credentials> {
  const { clock } = options;
  const proofs = createProofs(clock);
  let token: Promise<Token> | undefined;

  const request = async (): Promise<Token> => {
    const asked = clock.now();
    const { accessToken, lifetimeMs } = await requestToken({ ...options, proofs });
    const usableMs = Math.max(lifetimeMs - MARGIN_MS, lifetimeMs / 2);
    return { value: accessToken, usableUntil: asked + usableMs };
  };

  /** One request to the issuer at a time, whoever asks; a failed one is not remembered. */
  const renew = (): Promise<Token> => {
    const asked = request();
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
