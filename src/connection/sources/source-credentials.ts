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
  const fetched = new LRUCache<string, Credentials>({ max: REMEMBERED });
  return (connection, url) => {
    const { configuration, source } = connection;
    const { accessToken, clientCredentials } = configuration;
    const origin = originOf(source);
    if (origin === undefined || originOf(url) !== origin) return undefined;
    if (accessToken !== undefined)
      return { authorize: async () => ({ authorization: `Bearer ${accessToken}` }) };
    if (!clientCredentials) return undefined;
    const key = JSON.stringify(connection);
    const { id, secret } = clientCredentials;
    const issuer = readUri(clientCredentials.issuer ?? origin) ?? origin;
    const found =
      fetched.get(key) ?? createPodCredentials({ ...parts, id, secret, issuer, trust: 'learned' });
    fetched.set(key, found);
    return found;
  };
}

function originOf(url: string): string | undefined {
  const origin = canParseUrl(url) ? new URL(url).origin : 'null';
  return origin === 'null' ? undefined : origin;
}
