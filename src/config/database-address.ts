import { canParseUrl } from '../lib/can-parse-url.js';

/** Where the database is: one connection string for each host, and a text for logs and operators without the password. */
export interface DatabaseAddress {
  readonly hosts: readonly DatabaseHost[];
  readonly described: string;
}

export interface DatabaseHost {
  /** With the password: never to be written down. */
  readonly connectionString: string;
  readonly described: string;
}

const FORM = /^(postgres(?:ql)?:\/\/)(?:([^@/?#]*)@)?([^/?#]*)(\/[^?#]*)?(\?[^#]*)?$/i;

/**
 * Reads `postgres://user:password@host:port,other-host:port/database?sslmode=verify-full`: as libpq has it, several hosts
 * stand beside each other, and the one that takes writes is used. `undefined` for a text that is no such URL.
 */
export function readDatabaseAddress(text: string): DatabaseAddress | undefined {
  const [, scheme, user = '', hosts = '', path = '', parameters = ''] = FORM.exec(text.trim()) ?? [];
  if (scheme === undefined || path.length < 2) return undefined;
  const login = user === '' ? '' : `${user}@`;
  const name = user === '' ? '' : `${user.replace(/:.*$/s, '')}@`;
  const all = hosts.split(',').map((host) => ({
    connectionString: `${scheme}${login}${host}${path}${parameters}`,
    described: `${name}${host === '' ? 'localhost' : host}${path}`,
  }));
  if (!all.every(({ connectionString }) => canParseUrl(connectionString))) return undefined;
  return { hosts: all, described: `${name}${hosts}${path}` };
}
