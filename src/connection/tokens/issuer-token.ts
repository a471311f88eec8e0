import type { JWTPayload } from 'jose';
import { jwtVerify } from 'jose/jwt/verify';
import type { Clock } from '../../lib/clock.js';
import type { GuardedFetch } from '../../lib/fetch/guarded-fetch.js';
import { withoutTrailingSlashes } from '../../lib/trailing-slashes.js';
import { MAX_URI, readUri } from '../uri.js';
import { createIssuerKeys, type IssuerKeys } from './issuer-keys.js';
import { UnfitToken } from './unfit-token.js';

/** Asymmetric algorithms only: if HS256 were accepted, anybody could sign with the published key as shared secret. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
/** How far an issuer's clock may be off, in seconds. */
const CLOCK_TOLERANCE_S = 5;
/** The audience that Solid issuers give to every token (Solid-OIDC, section 6.1). */
const SOLID = 'solid';

export interface IssuerTokens {
  /** Does the operator trust this issuer? */
  knows(issuer: string): boolean;
  /** The holder that the token speaks for. @throws JOSEError, UnfitToken, IssuerUnavailable */
  verify(token: string, issuer: string): Promise<string>;
}

/** Verifies JWTs of the issuers that the operator trusts. `audience`: the base URL of the service. */
export function createIssuerTokens(
  issuers: readonly string[],
  parts: { audience: string; fetch: GuardedFetch; clock: Clock },
): IssuerTokens {
  const keys = new Map<string, IssuerKeys>(
    issuers.map((url) => [withoutTrailingSlashes(url), createIssuerKeys(url, parts)]),
  );
  const audience = [parts.audience, `${parts.audience}/`, SOLID];
  return {
    knows: (issuer) => issuer.length <= MAX_URI && keys.has(withoutTrailingSlashes(issuer)),
    async verify(token, issuer) {
      const issuerKeys = keys.get(withoutTrailingSlashes(issuer));
      if (!issuerKeys) throw new UnfitToken('the issuer of the token is not trusted here');
      const { payload } = await jwtVerify(token, issuerKeys.find, {
        algorithms: ALGORITHMS,
        issuer: await issuerKeys.name(),
        audience,
        requiredClaims: ['exp'],
        clockTolerance: CLOCK_TOLERANCE_S,
        currentDate: new Date(parts.clock.now()),
      });
      return holderOf(payload);
    },
  };
}

/** The claim `webid`, or `sub` when there is none. Scopes are ignored, since each issuer names them in its own way. */
function holderOf({ cnf, webid, sub }: JWTPayload): string {
  // RFC 9449, section 7.1: a token bound to a key must come with a proof, or a thief could use it.
  if (cnf !== undefined) throw new UnfitToken('the token is bound to a key and cannot be sent as Bearer');
  const holder = readUri(String(webid ?? sub));
  if (holder === undefined) throw new UnfitToken('neither webid nor sub of the token is an absolute URI');
  return holder;
}
