import { canParseUrl } from '../lib/can-parse-url.js';

/** Where the database is: one connection string for each host. `described`: for logs and operators, without the password. */
export type DatabaseAddress = NonNullable<ReturnType<typeof readDatabaseAddress>>;
export type DatabaseHost = DatabaseAddress['hosts'][number];

const FORM = /^(postgres(?:ql)?:\/\/)(?:([^@/?#]*)@)?([^/?#]*)(\/[^?#]*)?(\?[^#]*)?$/i;

/**
 * Reads `postgres://user:password@host:port,other-host:port/database?sslmode=verify-full`: as libpq has it, several hosts
 * stand beside each other, and the one that takes writes is used. `undefined` for a text that is no such URL.
 */
export function readDatabaseAddress(text: string) {
  const [, scheme, user = '', hosts = '', path = '', parameters = ''] = FORM.exec(text.trim()) ?? [];
  if (scheme === undefined || path.length < 2) return undefined;
  const login = user === '' ? '' : `${user}@`;
  const name = user === '' ? '' : `${user.replace(/:.*$/s, '')}@`;
  const all = hosts.split(',').map((host) => ({
    /** With the password: never to be written down. */
    connectionString: `${scheme}${login}${host}${path}${parameters}`,
    described: `${name}${host === '' ? 'localhost' : host}${path}`,
  }));
  if (!all.every(({ connectionString }) => canParseUrl(connectionString))) return undefined;
  return { hosts: all, described: `${name}${hosts}${path}` };
}
