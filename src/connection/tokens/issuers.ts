import type { JWTVerifyGetKey } from 'jose';
import * as errors from 'jose/errors';
import { createLocalJWKSet } from 'jose/jwks/local';
import { jwtVerify } from 'jose/jwt/verify';
import { type Clock, elapsed } from '../../lib/clock.js';
import { explain } from '../../lib/faults.js';
import type { GuardedFetch } from '../../lib/fetch/guarded-fetch.js';
import { readIssuerMetadata, trustIn } from '../../lib/fetch/issuer-metadata.js';
import { webFetch } from '../../lib/fetch/web-fetch.js';
import { withoutTrailingSlashes } from '../../lib/trailing-slashes.js';
import { MAX_URI, readUri } from '../uri.js';
import { UnfitToken } from './holder-token.js';

/** The keys of an issuer cannot be fetched, so that nothing can be said about its tokens. */
export class IssuerUnavailable extends Error {
  override readonly name = 'IssuerUnavailable';
}

/** Asymmetric algorithms only: if HS256 were accepted, anybody could sign with the published key as shared secret. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
/** How far an issuer's clock may be off, in seconds. */
const CLOCK_TOLERANCE_S = 5;
/** The audience that Solid issuers give to every token (Solid-OIDC, section 6.1). */
const SOLID = 'solid';
/** Bounds of each request to an issuer. They are small because requests of clients wait for the answer. */
const BOUNDS = { maxBytes: 500_000, timeoutMs: 5_000 };
/** Keys older than this (ms) are fetched again before they are used, so that keys which the issuer has withdrawn end. */
const FRESH_MS = 10 * 60_000;
/** An issuer is not asked again sooner than this (ms), whatever it has answered and whatever key a token names. */
const COOLDOWN_MS = 30_000;

interface IssuerParts {
  readonly fetch: GuardedFetch;
  readonly clock: Clock;
}

/**
 * The holder that a token speaks for. `iss`: what it says of its issuer, whatever that is.
 * @throws JOSEError, UnfitToken, IssuerUnavailable
 */
export type VerifyIssued = (token: string, iss: unknown) => Promise<string>;

/** Verifies JWTs of the issuers that the operator trusts. `service`: the base URL of the service. */
export function createVerifyIssued(
  issuers: readonly string[],
  service: string,
  parts: IssuerParts,
): VerifyIssued {
  const trusted = new Map(issuers.map((url) => [withoutTrailingSlashes(url), createKeys(url, parts)]));
  return async (token, iss) => {
    const isName = typeof iss === 'string' && iss.length <= MAX_URI;
    const keys = isName ? trusted.get(withoutTrailingSlashes(iss)) : undefined;
    if (!keys) throw new UnfitToken('the issuer of the token is not trusted here');
    const { issuer, find } = await keys(FRESH_MS);
    const findAgain: JWTVerifyGetKey = async (...wanted) => {
      try {
        return await find(...wanted);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        return (await keys(0)).find(...wanted);
      }
    };
    const { payload } = await jwtVerify(token, findAgain, {
      algorithms: ALGORITHMS,
      issuer,
      audience: [service, `${service}/`, SOLID],
      requiredClaims: ['exp'],
      clockTolerance: CLOCK_TOLERANCE_S,
      currentDate: new Date(parts.clock.now()),
    });
    const { cnf, webid, sub } = payload;
    // RFC 9449, section 7.1: a token bound to a key must come with a proof, or a thief could use it.
    if (cnf !== undefined) throw new UnfitToken('the token is bound to a key and cannot be sent as Bearer');
    const holder = readUri(String(webid ?? sub));
    if (holder === undefined) throw new UnfitToken('neither webid nor sub of the token is an absolute URI');
    return holder;
  };
}

interface Published {
  /** The issuer's name as its configuration spells it; tokens must have the same spelling. */
  readonly issuer: string;
  readonly find: JWTVerifyGetKey;
  /** Ms since the epoch. */
  readonly readAt: number;
}

/**
 * The published keys of an issuer (OpenID Connect Discovery 1.0; RFC 7517) that are no older than so many ms; older ones
 * while it cannot be asked. Not the remote key set of jose: that goes by a clock of its own, and has no keys while the issuer is
 * down. The function it returns throws IssuerUnavailable.
 */
function createKeys(url: string, { fetch, clock }: IssuerParts): (age: number) => Promise<Published> {
  let published: Published | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  let asking: Promise<unknown> | undefined;
  let failure: unknown;

  const ask = async () => {
    askedAt = clock.now();
    const { issuer, jwks_uri } = await readIssuerMetadata(url, fetch, { ...BOUNDS, trust: 'configured' });
    if (jwks_uri === undefined) throw new Error('its configuration names no jwks_uri');
    const trust = trustIn(jwks_uri, { issuer: url, trust: 'configured' });
    const answer = await webFetch(fetch, { ...BOUNDS, trust })(jwks_uri, {});
    if (!answer.ok) throw new Error(`${jwks_uri} answers ${answer.status}`);
    const keys = (await answer.json()) as Parameters<typeof createLocalJWKSet>[0];
    published = { issuer, find: createLocalJWKSet(keys), readAt: clock.now() };
  };

  return async (age) => {
    if (published && elapsed(published.readAt, clock.now()) <= age) return published;
    if (elapsed(askedAt, clock.now()) >= COOLDOWN_MS)
      asking = ask().catch((error) => {
        failure = error;
      });
    await asking;
    if (published) return published;
    const message = `The keys of the issuer ${url} cannot be fetched: ${explain(failure)}`;
    throw new IssuerUnavailable(message, { cause: failure });
  };
}
