import { createHash, randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { Clock } from '../clock.js';

/** Proofs of possession (RFC 9449), all with one key that exists only here, and the nonces that servers demand. */
export interface Proofs {
  /** A fresh proof for one request; `accessToken` is the token that goes with it, if one does. */
  prove(request: { url: string; method: string; accessToken?: string }): Promise<string>;
  /** Reads the nonce that a server gives out (section 8). True when it refused the request for the lack of it. */
  takeNonce(answer: { url: string; headers: Headers }): boolean;
}

export function createProofs(clock: Clock): Proofs {
  const nonces = new Map<string, string>();
  let key: ReturnType<typeof createKey> | undefined;
  return {
    async prove({ url, method, accessToken }) {
      key ??= createKey();
      const { jwk, privateKey } = await key;
      const { origin, pathname } = new URL(url);
      const nonce = nonces.get(origin);
      const claims = {
        htm: method,
        htu: origin + pathname,
        jti: randomUUID(),
        ...(accessToken === undefined ? {} : { ath: sha256(accessToken) }),
        ...(nonce === undefined ? {} : { nonce }),
      };
      return new SignJWT(claims)
        .setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk })
        .setIssuedAt(Math.floor(clock.now() / 1000))
        .sign(privateKey);
    },
    takeNonce({ url, headers }) {
      const nonce = headers.get('dpop-nonce');
      if (nonce === null) return false;
      nonces.set(new URL(url).origin, nonce);
      return /\buse_dpop_nonce\b/.test(headers.get('www-authenticate') ?? '');
    },
  };
}

async function createKey() {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  return { jwk: await exportJWK(publicKey), privateKey };
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('base64url');
