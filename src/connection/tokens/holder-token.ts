import { SignJWT } from 'jose/jwt/sign';
import { jwtVerify } from 'jose/jwt/verify';
import * as z from 'zod';
import type { Clock } from '../../lib/clock.js';
import { readUri } from '../uri.js';

/**
 * `read`, and `write`, which includes it, concern the holder's own records. `invite` makes invites for any holder, sees
 * those that it has made, and opens nothing else.
 */
export const SCOPES = ['read', 'write', 'invite'] as const;
export type Scope = (typeof SCOPES)[number];

/** The rights that a token gives. */
export interface Grant {
  /** Whose records it is about, or, with the scope `invite`, who invites: a plain absolute URI. */
  readonly holder: string;
  readonly scope: Scope;
}

/**
 * Issuer and audience of the tokens that a node makes for itself. It is not the node's URL, since the `token` verb does
 * not know on which port the node listens; no other node has the key.
 */
export const OWN_ISSUER = 'urn:component-registry:connection';

/** The only algorithm that is accepted with the node's own key. */
const ALGORITHM = 'HS256';

const claims = z.object({ sub: z.string(), scope: z.enum(SCOPES) });

/** Makes a JWT (RFC 7519) for a holder. `expires` and `now`: ms since the epoch. */
export function issueToken(
  { holder, scope, expires }: Grant & { expires: number },
  key: Uint8Array,
  now: number,
): Promise<string> {
  return new SignJWT({ scope })
    .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
    .setIssuer(OWN_ISSUER)
    .setAudience(OWN_ISSUER)
    .setSubject(holder)
    .setIssuedAt(Math.floor(now / 1000))
    .setExpirationTime(Math.floor(expires / 1000))
    .sign(key);
}

/** Verifies a token that `issueToken` has made. @throws JOSEError for any other token, and for an expired one */
export async function verifyOwnToken(token: string, key: Uint8Array, clock: Clock): Promise<Grant> {
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
  return { holder, scope };
}
