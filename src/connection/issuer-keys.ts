import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { z } from 'zod';
import type { Clock } from '../lib/clock.js';
import type { GuardedFetch, Trust } from '../lib/fetch/guarded-fetch.js';

/** Why the keys of an issuer could not be had: a matter of the network, not of the token. */
export class IssuerUnavailable extends Error {
  override readonly name = 'IssuerUnavailable';
}

const MAX_BYTES = 500_000;
/** Keys older than this are fetched again before they are used, so that withdrawn ones end. In ms. */
const FRESH_MS = 10 * 60 * 1000;
/** Tokens with made-up key ids must not turn into requests to the issuer without end. */
const FETCHES_PER_MINUTE = 5;
const MINUTE_MS = 60_000;

const discovery = z.object({ issuer: z.string(), jwks_uri: z.url({ protocol: /^https?$/ }) });
const keySet = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) });

interface Published {
  /** As the issuer writes itself, which tokens repeat to the letter. */
  readonly issuer: string;
  readonly find: ReturnType<typeof createLocalJWKSet>;
  readonly fetched: number;
}

export interface IssuerKeys {
  /** How the issuer writes its own name. @throws IssuerUnavailable */
  name(): Promise<string>;
  /** The key of a token; a key that is not known yet is looked for at the issuer. @throws IssuerUnavailable, JOSEError */
  readonly find: JWTVerifyGetKey;
}

/** The published keys of an OIDC issuer that the operator trusts (OpenID Connect Discovery 1.0; RFC 7517). */
export function createIssuerKeys(
  url: string,
  { fetch, clock }: { fetch: GuardedFetch; clock: Clock },
): IssuerKeys {
  let published: Published | undefined;
  let under: Promise<Published> | undefined;
  let fetches: number[] = [];

  const renew = (): Promise<Published> => {
    under ??= publish(url, fetch, clock.now()).finally(() => {
      under = undefined;
    });
    return under;
  };

  const mayFetch = (): boolean => {
    if (under) return true;
    const now = clock.now();
    fetches = fetches.filter((at) => now - at < MINUTE_MS);
    return fetches.length < FETCHES_PER_MINUTE && fetches.push(now) > 0;
  };

  /** What is published now; what was published before while the issuer is down. */
  const current = async (): Promise<Published> => {
    if (published && clock.now() - published.fetched < FRESH_MS) return published;
    if (!mayFetch()) return published ?? unavailable(url, 'it was asked often enough for now');
    try {
      published = await renew();
    } catch (error) {
      if (!published) throw error;
    }
    return published;
  };

  return {
    name: async () => (await current()).issuer,
    find: async (header, token) => {
      const known = await current();
      try {
        return await known.find(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey) || !mayFetch()) throw error;
        published = await renew();
        return published.find(header, token);
      }
    },
  };
}

async function publish(url: string, fetch: GuardedFetch, now: number): Promise<Published> {
  const base = url.replace(/\/+$/, '');
  const place = `${base}/.well-known/openid-configuration`;
  const found = discovery.safeParse(await readJson(place, 'configured', fetch));
  if (!found.success) return unavailable(url, `${place} names no issuer and jwks_uri`);
  const { issuer, jwks_uri } = found.data;
  if (issuer.replace(/\/+$/, '') !== base) return unavailable(url, `${place} is that of ${issuer}`);
  // The operator named the issuer; what the issuer names beyond its own origin is learned.
  const trust = new URL(jwks_uri).origin === new URL(url).origin ? 'configured' : 'learned';
  const keys = keySet.safeParse(await readJson(jwks_uri, trust, fetch));
  if (!keys.success) return unavailable(url, `${jwks_uri} holds no key set`);
  return { issuer, find: createLocalJWKSet(keys.data as JSONWebKeySet), fetched: now };
}

async function readJson(url: string, trust: Trust, fetch: GuardedFetch): Promise<unknown> {
  try {
    const answer = await fetch(url, { trust, maxBytes: MAX_BYTES, headers: { accept: 'application/json' } });
    const text = await answer.text();
    return answer.status === 200 ? JSON.parse(text) : undefined;
  } catch (cause) {
    throw new IssuerUnavailable(`${url} cannot be read`, { cause });
  }
}

function unavailable(issuer: string, why: string): never {
  throw new IssuerUnavailable(`The keys of the issuer ${issuer} cannot be had: ${why}`);
}
