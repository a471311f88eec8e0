import type { JWTVerifyGetKey } from 'jose';
import * as errors from 'jose/errors';
import { createRemoteJWKSet, customFetch } from 'jose/jwks/remote';
import type { Clock } from '../../lib/clock.js';
import { explain } from '../../lib/faults.js';
import type { GuardedFetch } from '../../lib/fetch/guarded-fetch.js';
import { readIssuerMetadata, trustIn } from '../../lib/fetch/issuer-metadata.js';
import { type WebFetch, webFetch } from '../../lib/fetch/web-fetch.js';
import { createRateLimit } from '../../lib/rate-limit.js';

/** The keys of an issuer cannot be fetched, so that nothing can be said about its tokens. */
export class IssuerUnavailable extends Error {
  override readonly name = 'IssuerUnavailable';
}

/** Bounds of each request to an issuer. They are small because requests of clients wait for the answer. */
const BOUNDS = { maxBytes: 500_000, timeoutMs: 5_000 };
/** Keys older than this (ms) are fetched again before they are used, so that keys which the issuer has withdrawn end. */
const FRESH_MS = 10 * 60_000;
/** After a failure, old keys are used for this long (ms) before the issuer is asked again: each attempt delays requests. */
const RETRY_MS = 30_000;
/** Each token with an unknown key id is a request to the issuer; this many are made in a minute, whatever clients send. */
const FETCHES_PER_MINUTE = 5;

interface Published {
  /** The issuer's name as its configuration spells it; tokens must have the same spelling. */
  readonly issuer: string;
  readonly keys: ReturnType<typeof createRemoteJWKSet>;
  /** Milliseconds since the epoch. */
  readonly freshUntil: number;
}

export interface IssuerKeys {
  /** The issuer's name as its configuration spells it. @throws IssuerUnavailable */
  name(): Promise<string>;
  /** Finds the key of a token; an unknown key id makes it fetch the keys again. @throws IssuerUnavailable, JOSEError */
  readonly find: JWTVerifyGetKey;
}

/** The published keys of an OIDC issuer that the operator trusts (OpenID Connect Discovery 1.0; RFC 7517). */
export function createIssuerKeys(
  url: string,
  { fetch, clock }: { fetch: GuardedFetch; clock: Clock },
): IssuerKeys {
  const limit = createRateLimit(clock, {
    concurrent: Number.POSITIVE_INFINITY,
    perMinute: FETCHES_PER_MINUTE,
  });
  const mayFetch = () => 'release' in limit.acquire();
  let published: Published | undefined;
  let renewal: Promise<Published> | undefined;

  const publish = async (): Promise<Published> => {
    if (!mayFetch()) throw unavailable(url, 'it was asked often enough for now');
    const { issuer, jwks_uri } = await readIssuerMetadata(url, fetch, { ...BOUNDS, trust: 'configured' });
    if (jwks_uri === undefined) throw unavailable(url, 'its configuration names no jwks_uri');
    const trust = trustIn(jwks_uri, { issuer: url, trust: 'configured' });
    const read = webFetch(fetch, { ...BOUNDS, trust });
    let first = true;
    // Called again for each token with an unknown key id. Over the limit, such a key is taken not to exist.
    const limited: WebFetch = async (...request) => {
      if (!first && !mayFetch()) throw new errors.JWKSNoMatchingKey();
      first = false;
      return read(...request);
    };
    // jose must not expire the keys: `freshUntil` does, by the node's clock, and old keys serve while the issuer is down.
    const keys = createRemoteJWKSet(new URL(jwks_uri), {
      [customFetch]: limited,
      cacheMaxAge: Number.POSITIVE_INFINITY,
      cooldownDuration: 0,
      timeoutDuration: BOUNDS.timeoutMs,
    });
    await keys.reload();
    return { issuer, keys, freshUntil: clock.now() + FRESH_MS };
  };

  const renew = (): Promise<Published> => {
    renewal ??= publish().finally(() => {
      renewal = undefined;
    });
    return renewal;
  };

  /** Fresh keys; old ones while the issuer is down. */
  const current = async (): Promise<Published> => {
    // Keys that are fresh for longer than they can be were fetched before the clock was set back.
    const fresh = (published?.freshUntil ?? 0) - clock.now();
    if (published && fresh > 0 && fresh <= FRESH_MS) return published;
    try {
      published = await renew();
    } catch (error) {
      if (!published) throw asUnavailable(error, url);
      published = { ...published, freshUntil: clock.now() + RETRY_MS };
    }
    return published;
  };

  return {
    name: async () => (await current()).issuer,
    find: async (header, token) => {
      const { keys } = await current();
      return keys(header, token).catch((error: unknown) => {
        throw concernsToken(error) ? error : asUnavailable(error, url);
      });
    },
  };
}

/** Errors of jose are about the token, unless they are about the key set that the issuer publishes. */
function concernsToken(error: unknown): boolean {
  if (!(error instanceof errors.JOSEError)) return false;
  return error.code !== errors.JWKSInvalid.code && error.code !== errors.JOSEError.code;
}

function asUnavailable(error: unknown, url: string): IssuerUnavailable {
  return error instanceof IssuerUnavailable ? error : unavailable(url, explain(error), error);
}

function unavailable(issuer: string, why: string, cause?: unknown): IssuerUnavailable {
  return new IssuerUnavailable(`The keys of the issuer ${issuer} cannot be fetched: ${why}`, { cause });
}
