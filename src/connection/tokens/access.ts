import * as errors from 'jose/errors';
import { decodeJwt } from 'jose/jwt/decode';
import type { Clock } from '../../lib/clock.js';
import { Problem } from '../../lib/http/problem.js';
import { bearerToken, sameSecret } from '../../lib/secret.js';
import { wrongField } from '../fields.js';
import { OWN_ISSUER, refusal, unfit, verifyOwnToken } from './holder-token.js';
import type { VerifyIssued } from './issuers.js';

/** Who a request comes from, by its token: the operator, who may do everything, or, where that is given, a holder. */
export interface Access {
  readonly holder?: string;
}

/**
 * Finds out who sends an `Authorization` header. @throws Problem 401 that says what is wrong with it (RFC 6750, section 3), and 503
 * when the keys of an issuer cannot be fetched
 */
export type AccessOf = (authorization: string | undefined) => Promise<Access>;

const NO_TOKEN =
  'Send a token as Authorization: Bearer <token>. Have you been invited? Open the link that you were sent';

/** @param key of the node's own tokens */
export function createAccess(
  { operatorToken }: { readonly operatorToken?: string },
  key: Uint8Array,
  verifyIssued: VerifyIssued,
  clock: Clock,
): AccessOf {
  return async (authorization) => {
    const token = bearerToken(authorization);
    if (token === undefined) throw refusal(NO_TOKEN);
    if (operatorToken !== undefined && sameSecret(token, operatorToken)) return {};
    try {
      // The token is not verified yet, so its claims may hold anything.
      const iss: unknown = decodeJwt(token).iss;
      const isOwn = iss === OWN_ISSUER;
      return { holder: await (isOwn ? verifyOwnToken(token, key, clock) : verifyIssued(token, iss)) };
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error;
      if (error instanceof errors.JWTExpired) throw unfit('it has expired');
      // Messages of the library may quote the token.
      throw unfit('it is not a token of this node or of an issuer that it trusts');
    }
  };
}

/**
 * The holder of a new or replaced record: `named` by its body, else that of the token.
 * @throws Problem 403 when a holder names another one, InvalidInput when the operator names none
 */
export function holderFor({ holder }: Access, named: string | null | undefined): string {
  const found = named ?? holder;
  if (found === undefined) throw wrongField('holder', 'is missing: this token speaks for nobody');
  if (holder !== undefined && found !== holder)
    throw new Problem(403, 'A holder can have records only of their own');
  return found;
}
