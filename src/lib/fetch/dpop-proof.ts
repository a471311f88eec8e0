import {
  allowInsecureRequests,
  customFetch,
  DPoP,
  type DPoPHandle,
  generateKeyPair,
  modifyAssertion,
  protectedResourceRequest,
} from 'oauth4webapi';
import type { Clock } from '../clock.js';

/** Proofs of possession (RFC 9449), all with one key that exists only here, and the nonces that servers demand. */
export interface Proofs {
  /** What oauth4webapi signs the proofs of its own requests with. */
  handle(): Promise<DPoPHandle>;
  /** The headers of one request with an access token: the token, and a fresh proof. */
  headersFor(request: {
    url: string;
    method: string;
    accessToken: string;
  }): Promise<{ authorization: string; dpop: string }>;
  /** Reads the nonce that a server gives out (section 8). True when it refused the request for the lack of it. */
  takeNonce(answer: { url: string; headers: Headers }): boolean;
}

export function createProofs(clock: Clock): Proofs {
  /** By origin. */
  const nonces = new Map<string, string>();
  let key: ReturnType<typeof generateKeyPair> | undefined;
  let made: DPoPHandle | undefined;

  const handle = async () => {
    key ??= generateKeyPair('ES256');
    const keyPair = await key;
    made ??= DPoP({}, keyPair, {
      // Nonces are kept here, not by the library: most come with answers to requests that it has not made.
      [modifyAssertion](_, claims) {
        claims.iat = Math.floor(clock.now() / 1000);
        claims.nonce = nonces.get(new URL(String(claims.htu)).origin);
      },
    });
    return made;
  };

  return {
    handle,
    async headersFor({ url, method, accessToken }) {
      let headers: Readonly<Record<string, string>> = {};
      // Nothing is sent by the library: the guarded fetch asks for headers again on each hop, and sends them itself.
      await protectedResourceRequest(accessToken, method, new URL(url), undefined, undefined, {
        DPoP: await handle(),
        [allowInsecureRequests]: true,
        [customFetch]: async (_, request) => {
          headers = request.headers;
          return new Response();
        },
      });
      const { authorization = '', dpop = '' } = headers;
      return { authorization, dpop };
    },
    takeNonce({ url, headers }) {
      const nonce = headers.get('dpop-nonce');
      if (nonce === null) return false;
      nonces.set(new URL(url).origin, nonce);
      return /\buse_dpop_nonce\b/.test(headers.get('www-authenticate') ?? '');
    },
  };
}
