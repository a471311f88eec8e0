import * as errors from 'jose/errors';
import { decodeJwt } from 'jose/jwt/decode';
import { SignJWT } from 'jose/jwt/sign';
import { jwtVerify } from 'jose/jwt/verify';
import type { Clock } from '../../lib/clock.js';
import { Problem } from '../../lib/http/problem.js';
import { bearerToken, sameSecret } from '../../lib/secret.js';
import { wrongField } from '../fields.js';
import { readUri } from '../uri.js';

/** Who a request comes from, by its token: the operator, who may do everything, or, where that is given, a holder. */
export type Access = { readonly holder?: string };

/**
 * The holder that a token speaks for. `iss`: what it says of its issuer, whatever that is.
 * @throws JOSEError, Problem 401, and 503 when the keys of the issuer cannot be fetched, so that nothing can be said about it
 */
export type VerifyIssued = (token: string, iss: unknown) => Promise<string>;

/** Finds out who sends an `Authorization` header. @throws Problem 401 that says what is wrong with it, and 503 as above */
export type AccessOf = (authorization: string | undefined) => Promise<Access>;

const NO_TOKEN =
  'Send a token as Authorization: Bearer <token>. Have you been invited? Open the link that you were sent';

/** @param key of the node's own tokens */
export function createAccess(
  operatorToken: string | undefined,
  key: Uint8Array,
  verifyIssued: VerifyIssued,
  clock: Clock,
): AccessOf {
  return async (authorization) => {
    const token = bearerToken(authorization);
    if (token === undefined) throw refusal();
    if (operatorToken !== undefined && sameSecret(token, operatorToken)) return {};
    try {
      // The token is not verified yet, so its claims may hold anything.
      const iss: unknown = decodeJwt(token).iss;
      const holder = iss === OWN_ISSUER ? verifyOwnToken(token, key, clock) : verifyIssued(token, iss);
      return { holder: await holder };
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error;
      if (error instanceof errors.JWTExpired) throw refusal('it has expired');
      // Messages of the library may quote the token.
      throw refusal('it is not a token of this node or of an issuer that it trusts');
    }
  };
}

/**
 * The holder of a new or replaced record: `named` by its body, else that of the token.
 * @throws Problem 403 when a holder names another one, InvalidInput when the operator names none
 */
export function holderFor({ holder }: Access, named: string | null | undefined): string {
  const found = named ?? holder;
  if (found === undefined) throw wrongField('holder', 'holder is missing');
  if (holder !== undefined && found !== holder)
    throw new Problem(403, 'A holder can have records only of their own');
  return found;
}

/** The refusal of a request for its token (RFC 6750, section 3). `why`: what is wrong with one that was sent. */
export function refusal(why?: string): Problem {
  const detail = why === undefined ? NO_TOKEN : `The token cannot be accepted: ${why}`;
  const invalid = why === undefined ? '' : `, error="invalid_token", error_description="${why}"`;
  const challenge = `Bearer realm="connection service"${invalid}`;
  return new Problem(401, detail, { headers: { 'www-authenticate': challenge } });
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

/** The holder that a token of `issueToken` speaks for. @throws JOSEError; Problem 401 for one of 0.2.0 made for less */
async function verifyOwnToken(token: string, key: Uint8Array, clock: Clock): Promise<string> {
  const currentDate = new Date(clock.now());
  const named = { issuer: OWN_ISSUER, audience: OWN_ISSUER, requiredClaims: ['exp', 'sub'] };
  const { payload } = await jwtVerify(token, key, { ...named, algorithms: [ALGORITHM], currentDate });
  const holder = readUri(String(payload.sub));
  if (holder === undefined) throw new Error('a token of this node names no holder');
  // Tokens have no scopes: one of version 0.2.0 that allowed less than everything of a holder would allow more here.
  if ('scope' in payload && payload.scope !== 'write')
    throw refusal('it was made for a scope, which this version does not have; make a new one');
  return holder;
}
