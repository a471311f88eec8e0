import { createHash } from 'node:crypto';
import { calculateJwkThumbprint, EmbeddedJWK, type JWTPayload, jwtVerify } from 'jose';
import type { FakeAnswer, FakeServer, SeenRequest } from '../fake-server.js';

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
export function actAsIssuer(server: FakeServer, options: IssuerOptions): void {
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
export async function verifiedProof(
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

export const tokenHash = (token: string): string => createHash('sha256').update(token).digest('base64url');

/** Written out by hand, so that it shares no mistake with what is tested: for ids and secrets of these characters only. */
function basic({ id, secret }: IssuerOptions): string {
  const encode = (text: string) => text.replaceAll('%', '%25').replaceAll(':', '%3A').replaceAll(' ', '+');
  return `Basic ${Buffer.from(`${encode(id)}:${encode(secret)}`).toString('base64')}`;
}

function refusal(error: string, headers: Record<string, string> = {}): FakeAnswer {
  return { status: error === 'invalid_client' ? 401 : 400, headers, body: { error } };
}
