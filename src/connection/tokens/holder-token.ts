import { SignJWT } from 'jose/jwt/sign';
import { jwtVerify } from 'jose/jwt/verify';
import type { Clock } from '../../lib/clock.js';
import { Problem } from '../../lib/http/problem.js';
import { readUri } from '../uri.js';

/** The refusal of a request for its token (RFC 6750, section 3). `why`: what is wrong with one that was sent. */
export function refusal(detail: string, why?: string): Problem {
  const invalid = why === undefined ? '' : `, error="invalid_token", error_description="${why}"`;
  const challenge = `Bearer realm="connection service"${invalid}`;
  return new Problem(401, detail, { headers: { 'www-authenticate': challenge } });
}

export function unfit(why: string): Problem {
  return refusal(`The token cannot be accepted: ${why}`, why);
}

/**
 * Issuer and audience of the tokens that a node makes for itself. It is not the node's URL, since the `token` verb does
 * not know on which port the node listens; no other node has the key.
 */
export const OWN_ISSUER = 'urn:component-registry:connection';

/** The only algorithm that is accepted with the node's own key. */
const ALGORITHM = 'HS256';

/** Makes a JWT (RFC 7519) for a holder, an absolute URI. `expires` and `now`: ms since the epoch. */
export function issueToken(
  { holder, expires }: { holder: string; expires: number },
  key: Uint8Array,
  now: number,
): Promise<string> {
  const [iat, exp] = [Math.floor(now / 1000), Math.floor(expires / 1000)];
  return new SignJWT({ iss: OWN_ISSUER, aud: OWN_ISSUER, sub: holder, iat, exp })
    .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
    .sign(key);
}

/**
 * The holder that a token of `issueToken` speaks for. @throws JOSEError for any other token, and for an expired one;
 * Problem 401 for one of version 0.2.0 that was made for less
 */
export async function verifyOwnToken(token: string, key: Uint8Array, clock: Clock): Promise<string> {
  const currentDate = new Date(clock.now());
  const named = { issuer: OWN_ISSUER, audience: OWN_ISSUER, requiredClaims: ['exp', 'sub'] };
  const { payload } = await jwtVerify(token, key, { ...named, algorithms: [ALGORITHM], currentDate });
  const holder = readUri(String(payload.sub));
  if (holder === undefined) throw new Error('a token of this node names no holder');
  // Tokens have no scopes: one of version 0.2.0 that allowed less than everything of a holder would allow more here.
  if ('scope' in payload && payload.scope !== 'write')
    throw unfit('it was made for a scope, which this version does not have; make a new one');
  return holder;
}
