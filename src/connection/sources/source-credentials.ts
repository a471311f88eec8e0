import { LRUCache } from 'lru-cache';
import { canParseUrl } from '../../lib/can-parse-url.js';
import type { Clock } from '../../lib/clock.js';
import type { Credentials } from '../../lib/fetch/authorized-fetch.js';
import type { GuardedFetch } from '../../lib/fetch/guarded-fetch.js';
import { createPodCredentials } from '../../lib/fetch/solid-oidc.js';
import type { Connection } from '../records/connection.js';
import { readUri } from '../uri.js';

/** The credentials of a connection for a document; none when its origin is not that of the connection's source. */
export type CredentialsOf = (connection: Connection, url: string) => Credentials | undefined;

/** Connections of which the tokens that were fetched last are remembered. */
const REMEMBERED = 1_000;

/** Looks credentials up in configurations. Tokens are cached until the connection is changed. */
export function createCredentialsOf(parts: { fetch: GuardedFetch; clock: Clock }): CredentialsOf {
  const known = new LRUCache<string, Credentials>({ max: REMEMBERED });
  return (connection, url) => {
    if (originOf(url) === undefined || originOf(url) !== originOf(connection.source)) return undefined;
    const key = JSON.stringify(connection);
    const credentials = known.get(key) ?? credentialsIn(connection, parts);
    if (credentials) known.set(key, credentials);
    return credentials;
  };
}

function credentialsIn(
  { configuration, source }: Connection,
  parts: { fetch: GuardedFetch; clock: Clock },
): Credentials | undefined {
  const { accessToken, clientCredentials } = configuration;
  if (accessToken !== undefined) {
    return { authorize: async () => ({ authorization: `Bearer ${accessToken}` }) };
  }
  if (!clientCredentials) return undefined;
  const { id, secret, issuer = new URL(source).origin } = clientCredentials;
  return createPodCredentials({ ...parts, id, secret, issuer: readUri(issuer) ?? issuer, trust: 'learned' });
}

function originOf(url: string): string | undefined {
  const origin = canParseUrl(url) ? new URL(url).origin : 'null';
  return origin === 'null' ? undefined : origin;
}
