import { SignJWT } from 'jose/jwt/sign';
import { jwtVerify } from 'jose/jwt/verify';
import * as z from 'zod';
import type { Clock } from '../../lib/clock.js';
import { readUri } from '../uri.js';
import { UnfitToken } from './unfit-token.js';

/**
 * Issuer and audience of the tokens that a node makes for itself. It is not the node's URL, since the `token` verb does
 * not know on which port the node listens; no other node has the key.
 */
export const OWN_ISSUER = 'urn:component-registry:connection';

/** The only algorithm that is accepted with the node's own key. */
const ALGORITHM = 'HS256';

/**
 * Tokens have no scopes. Version 0.2.0 made some with the claim `scope`; those that allowed less than everything of a
 * holder are refused, since here they would allow more than they were made for.
 */
const claims = z.object({ sub: z.string(), scope: z.string().optional() });

/** Makes a JWT (RFC 7519) for a holder, an absolute URI. `expires` and `now`: ms since the epoch. */
export function issueToken(
  { holder, expires }: { holder: string; expires: number },
  key: Uint8Array,
  now: number,
): Promise<string> {
  return new SignJWT()
    .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
    .setIssuer(OWN_ISSUER)
    .setAudience(OWN_ISSUER)
    .setSubject(holder)
    .setIssuedAt(Math.floor(now / 1000))
    .setExpirationTime(Math.floor(expires / 1000))
    .sign(key);
}

/**
 * The holder that a token of `issueToken` speaks for. @throws JOSEError for any other token, and for an expired one;
 * UnfitToken for one of version 0.2.0 that was made for less
 */
export async function verifyOwnToken(token: string, key: Uint8Array, clock: Clock): Promise<string> {
  const { payload } = await jwtVerify(token, key, {
    algorithms: [ALGORITHM],
    issuer: OWN_ISSUER,
    audience: OWN_ISSUER,
    requiredClaims: ['exp', 'sub'],
    currentDate: new Date(clock.now()),
  });
  const { sub, scope } = claims.parse(payload);
  const holder = readUri(sub);
  if (holder === undefined) throw new Error('a token of this node names no holder');
  if (scope !== undefined && scope !== 'write')
    throw new UnfitToken(
      `it was made for the scope "${scope}", which this version does not have; make a new one`,
    );
  return holder;
}
