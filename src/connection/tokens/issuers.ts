import type { FetchImplementation, JSONWebKeySet, JWTVerifyGetKey } from 'jose';
import * as errors from 'jose/errors';
import { createLocalJWKSet } from 'jose/jwks/local';
import { createRemoteJWKSet, customFetch } from 'jose/jwks/remote';
import { jwtVerify } from 'jose/jwt/verify';
import { type Clock, elapsed } from '../../lib/clock.js';
import type { GuardedFetch } from '../../lib/fetch/guarded-fetch.js';
import { readIssuerMetadata, trustIn } from '../../lib/fetch/issuer-metadata.js';
import { webFetch } from '../../lib/fetch/web-fetch.js';
import { Problem } from '../../lib/http/problem.js';
import { withoutTrailingSlashes } from '../../lib/trailing-slashes.js';
import { MAX_URI, readUri } from '../uri.js';
import { refusal, type VerifyIssued } from './access.js';

/** Asymmetric algorithms only: if HS256 were accepted, anybody could sign with the published key as shared secret. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
/** How far an issuer's clock may be off, in seconds. */
const CLOCK_TOLERANCE_S = 5;
/** The audience that Solid issuers give to every token (Solid-OIDC, section 6.1). */
const SOLID = 'solid';
/** How long an issuer that could not be asked is left alone, in ms: anybody's tokens would have it asked each time. */
const PAUSE_MS = 30_000;
/** Bounds of each request to an issuer. They are small because requests of clients wait for the answer. */
const BOUNDS = { maxBytes: 500_000, timeoutMs: 5_000 };

/** Verifies JWTs of the issuers that the operator trusts. `service`: the base URL of the service. */
export function createVerifyIssued(
  issuers: readonly string[],
  service: string,
  parts: { readonly fetch: GuardedFetch; readonly clock: Clock },
): VerifyIssued {
  const trusted = new Map(
    issuers.map((url) => [withoutTrailingSlashes(url), createKeys(url, parts.fetch, parts.clock)]),
  );
  return async (token, iss) => {
    const isName = typeof iss === 'string' && iss.length <= MAX_URI;
    const keys = isName ? trusted.get(withoutTrailingSlashes(iss)) : undefined;
    if (!keys) throw refusal('the issuer of the token is not trusted here');
    const { payload } = await jwtVerify(token, keys.find, {
      ...{ algorithms: ALGORITHMS, audience: [service, `${service}/`, SOLID] },
      ...{ requiredClaims: ['exp'], clockTolerance: CLOCK_TOLERANCE_S },
      currentDate: new Date(parts.clock.now()),
    });
    if (iss !== keys.issuer()) throw refusal('its issuer writes its own name in another way');
    const { cnf, webid, sub } = payload;
    // RFC 9449, section 7.1: a token bound to a key must come with a proof, or a thief could use it.
    if (cnf !== undefined) throw refusal('the token is bound to a key and cannot be sent as Bearer');
    const holder = readUri(String(webid ?? sub));
    if (holder === undefined) throw refusal('neither webid nor sub of the token is an absolute URI');
    return holder;
  };
}

/**
 * The published keys of an issuer (OpenID Connect Discovery 1.0; RFC 7517), which are read again when they are ten minutes old,
 * and when a token names another one, at most every half a minute. `find` throws Problem 503 when they cannot be read; `issuer`
 * is the issuer's name as its configuration has it, which is known when a key has been found.
 */
function createKeys(url: string, fetch: GuardedFetch, clock: Clock) {
  let known: Awaited<ReturnType<typeof locate>> | undefined;
  let failed: { readonly at: number; readonly cause: unknown } | undefined;
  const unavailable = (cause: unknown): never => {
    // Then the token is at fault, and not the keys.
    if (cause instanceof errors.JWKSNoMatchingKey || cause instanceof errors.JWKSMultipleMatchingKeys)
      throw cause;
    const detail = 'The issuer of the token cannot be asked for its keys now; try again later';
    const met = new Error(`The keys of the issuer ${url} cannot be fetched`, { cause });
    throw new Problem(503, detail, { headers: { 'retry-after': '30' }, cause: met });
  };
  const locate = async () => {
    const { issuer, jwks_uri } = await readIssuerMetadata(url, fetch, { ...BOUNDS, trust: 'configured' });
    if (jwks_uri === undefined) throw new Error('its configuration names no jwks_uri');
    return { issuer, jwks_uri };
  };
  const read: FetchImplementation = async (_, request) => {
    if (failed && elapsed(failed.at, clock.now()) < PAUSE_MS) throw failed.cause;
    try {
      // Issuers move their keys. While the configuration cannot be read, they are looked for where they were.
      known = await locate().catch((cause) => known ?? Promise.reject<never>(cause));
      const trust = trustIn(known.jwks_uri, { issuer: url, trust: 'configured' });
      const answer = await webFetch(fetch, { ...BOUNDS, trust })(known.jwks_uri, request);
      // Throws where the answer is no key set.
      createLocalJWKSet((await answer.clone().json()) as JSONWebKeySet);
      return answer;
    } catch (cause) {
      failed = { at: clock.now(), cause };
      throw cause;
    }
  };
  const keys = createRemoteJWKSet(new URL(url), {
    [customFetch]: read,
    timeoutDuration: 2 * BOUNDS.timeoutMs,
  });
  const find: JWTVerifyGetKey = (...wanted) => keys(...wanted).catch(unavailable);
  return { find, issuer: () => known?.issuer };
}
