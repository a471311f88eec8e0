import * as errors from 'jose/errors';
import { decodeJwt } from 'jose/jwt/decode';
import type { Clock } from '../../lib/clock.js';
import { Problem } from '../../lib/http/problem.js';
import type { Answer, Handler, RouteContext } from '../../lib/http/resource.js';
import { bearerToken, sameSecret } from '../../lib/secret.js';
import { sameUri } from '../uri.js';
import { OWN_ISSUER, verifyOwnToken } from './holder-token.js';
import { IssuerUnavailable } from './issuer-keys.js';
import type { IssuerTokens } from './issuer-token.js';
import { UnfitToken } from './unfit-token.js';

/** Who a request comes from, by its token: the operator, who may do everything, or a holder. */
export type Access = { readonly kind: 'operator' } | { readonly kind: 'holder'; readonly holder: string };

export interface AccessParts {
  readonly operatorToken: string | undefined;
  readonly tokenKey: Uint8Array;
  readonly issuers: IssuerTokens;
  readonly clock: Clock;
}

type AuthorisedHandler = (c: RouteContext, access: Access) => Answer | Promise<Answer>;

/** Makes a handler that runs only for requests with a token that is accepted. */
export type Authorised = (handler: AuthorisedHandler) => Handler;

export function createAuthorised(parts: AccessParts): Authorised {
  return (handler) => async (c) => handler(c, await accessOf(c.req.header('authorization'), parts));
}

/** The part of the records that a token sees, for `RecordIndex.list`: everything for the operator. */
export function visibleTo(access: Access): { holder?: string } {
  return access.kind === 'holder' ? { holder: access.holder } : {};
}

/** May this token see the record? Requests for records that it may not see are answered as if they did not exist. */
export function maySee(access: Access, { holder }: { readonly holder: string }): boolean {
  return access.kind === 'operator' || sameUri(access.holder, holder);
}

/**
 * The holder of a new or replaced record: `named` by its body, else that of the token.
 * @throws Problem 403 when a holder names another one, 422 when the operator names none
 */
export function holderFor(access: Access, named: string | undefined): string {
  if (access.kind === 'operator') {
    if (named !== undefined) return named;
    throw new Problem(422, 'This token speaks for no holder: name one', {
      errors: [{ pointer: '/holder', detail: 'holder is missing' }],
    });
  }
  if (named === undefined || sameUri(named, access.holder)) return named ?? access.holder;
  throw new Problem(403, 'A holder can have records only of their own');
}

/** @throws Problem 401 that says what is wrong (RFC 6750, section 3), 503 when the keys of an issuer cannot be fetched */
async function accessOf(header: string | undefined, parts: AccessParts): Promise<Access> {
  const token = bearerToken(header);
  if (token === undefined) {
    throw new Problem(401, 'Send a token as Authorization: Bearer <token>', {
      headers: { 'www-authenticate': challenge() },
    });
  }
  const { operatorToken } = parts;
  if (operatorToken !== undefined && sameSecret(token, operatorToken)) return { kind: 'operator' };
  try {
    return { kind: 'holder', holder: await holderOf(token, parts) };
  } catch (error) {
    throw refusal(error);
  }
}

/**
 * Is each part of the token spelt as encoders spell it? Decoders pass over the last bits of a part whose length leaves some
 * (RFC 4648, section 3.5), so that one token would have several spellings.
 */
function isCanonical(token: string): boolean {
  return token.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part);
}

function holderOf(token: string, { tokenKey, issuers, clock }: AccessParts): Promise<string> {
  if (!isCanonical(token)) throw new UnfitToken('it is not spelt as tokens are (RFC 7515, section 2)');
  // The token is not verified yet, so its claims may hold anything.
  const iss: unknown = decodeJwt(token).iss;
  if (iss === OWN_ISSUER) return verifyOwnToken(token, tokenKey, clock);
  if (typeof iss !== 'string' || !issuers.knows(iss))
    throw new UnfitToken('the issuer of the token is not trusted here');
  return issuers.verify(token, iss);
}

function refusal(error: unknown): Problem {
  if (error instanceof IssuerUnavailable) {
    return new Problem(503, 'The issuer of the token cannot be asked for its keys now; try again later', {
      headers: { 'retry-after': '30' },
      cause: error,
    });
  }
  if (!(error instanceof errors.JOSEError || error instanceof UnfitToken)) throw error;
  const why = reasonOf(error);
  return new Problem(401, `The token cannot be accepted: ${why}`, {
    headers: { 'www-authenticate': challenge('invalid_token', why) },
  });
}

/** The reason for the client, in words of this service: messages of the library may quote the token. */
function reasonOf(error: Error): string {
  if (error instanceof UnfitToken) return error.message;
  if (error instanceof errors.JWTExpired) return 'it has expired';
  if (error instanceof errors.JWTClaimValidationFailed) return `its claim ${error.claim} does not fit`;
  return 'it is not a token of this node or of an issuer that it trusts';
}

function challenge(error?: string, description?: string): string {
  const realm = 'Bearer realm="connection service"';
  return error === undefined ? realm : `${realm}, error="${error}", error_description="${description}"`;
}
