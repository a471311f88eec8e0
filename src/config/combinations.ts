import { readDatabaseAddress } from './database-address.js';
import { type Environment, OPERATOR_TOKEN, STORE_URL } from './environment.js';
import type { ConfigFault } from './fault.js';
import { CONNECTION_SEGMENTS, isOwnPath } from './own-paths.js';
import { PORT, type Settings } from './schema.js';
import { isLoopback, sameBaseUrl, sameUrl } from './url.js';

/** Keys that are right by themselves and wrong together. */
interface Combination {
  /** What the operator most likely wants to change: faults stand under it. */
  readonly key: string;
  /** Not judged while one of these has a fault of its own: what it was meant to be is not known. */
  readonly with: readonly string[];
  /** What is wrong, if anything. */
  readonly faults: (settings: Settings, env: Environment) => string | false | readonly string[];
}

const COMBINATIONS: readonly Combination[] = [
  {
    key: 'write',
    with: ['write', 'listen.host', 'insecureOpenWrite'],
    faults: ({ write, listen, insecureOpenWrite }) =>
      write === 'open' &&
      !insecureOpenWrite &&
      !isLoopback(listen.host) &&
      `"open" lets anyone who reaches ${listen.host} write: listen on 127.0.0.1, use "operator" or "off", or set insecureOpenWrite to true`,
  },
  {
    key: 'write',
    with: ['write'],
    faults: ({ write }, env) =>
      write === 'operator' &&
      env[OPERATOR_TOKEN] === undefined &&
      `"operator" needs the environment variable ${OPERATOR_TOKEN}`,
  },
  {
    key: 'write',
    with: ['mode', 'write'],
    faults: ({ mode, write }) =>
      mode === 'mirror' && write !== 'off' && 'a mirror takes no writes: with mode "mirror" it must be "off"',
  },
  {
    key: 'pods',
    with: ['mode'],
    faults: ({ mode, pods }) =>
      mode === 'mirror' &&
      pods.length > 0 &&
      'a mirror polls no pods: with mode "mirror" the list must be empty',
  },
  {
    key: 'peers',
    with: ['mode', 'peers'],
    faults: ({ mode, peers }) =>
      mode === 'mirror' &&
      peers.length === 0 &&
      'a mirror replicates its peers: with mode "mirror" name at least one',
  },
  { key: 'peers', with: [], faults: ({ peers }) => repeated(peers, sameBaseUrl) },
  { key: 'pods', with: [], faults: ({ pods }) => repeated(pods, sameUrl) },
  {
    key: 'peers',
    with: ['baseUrl', 'listen.port'],
    faults: ({ baseUrl, listen, peers }) => {
      const own = sameBaseUrl(baseUrl.replace(PORT, String(listen.port)));
      return peers.flatMap(({ url }) =>
        sameBaseUrl(url) === own ? `${url} is this node itself (see baseUrl)` : [],
      );
    },
  },
  {
    key: 'baseUrl',
    with: ['baseUrl', 'connection.path'],
    faults: ({ baseUrl, connection }) => {
      const { pathname } = new URL(baseUrl.replace(`:${PORT}`, ''));
      const [, first] = pathname.split('/');
      const taken = [...CONNECTION_SEGMENTS, connection.path.split('/')[1]];
      const isTaken = pathname !== '/' && (isOwnPath(pathname) || taken.includes(first));
      return (
        isTaken &&
        `its path begins with /${first}, where the node itself answers; choose another, such as /registry`
      );
    },
  },
  {
    key: 'pods',
    with: [],
    faults: ({ pods }, env) =>
      pods.flatMap(({ url, auth }) =>
        [auth?.id, auth?.secret].flatMap((variable) =>
          variable === undefined || env[variable]
            ? []
            : `${url} needs the environment variable ${variable}, which is not set`,
        ),
      ),
  },
  {
    key: 'store.engine',
    with: ['store.engine'],
    faults: ({ store }, env) =>
      store.engine === 'postgres' &&
      env[STORE_URL] === undefined &&
      `"postgres" needs the environment variable ${STORE_URL}`,
  },
  {
    // What is said of an address never quotes it: there may be a password in it.
    key: STORE_URL,
    with: ['store.engine'],
    faults: ({ store }, env) => {
      const url = env[STORE_URL];
      if (url === undefined) return false;
      if (store.engine === 'disk')
        return 'names a database, and store.engine is "disk": set store.engine to "postgres", or unset it';
      return (
        !readDatabaseAddress(url) &&
        'must have the form postgres://user:password@host:5432/database; several hosts are separated by commas, and special characters in the password are percent-encoded'
      );
    },
  },
];

/** Every impossible combination; `known` are the faults that single keys have already. */
export function combinationFaults(
  settings: Settings,
  env: Environment,
  known: readonly ConfigFault[],
): ConfigFault[] {
  const unclear = (key: string) =>
    known.some(
      ({ key: other }) => other === key || key.startsWith(`${other}.`) || other.startsWith(`${key}[`),
    );
  return COMBINATIONS.filter(({ with: keys }) => !keys.some(unclear)).flatMap(({ key, faults }) => {
    const details = [faults(settings, env)].flat();
    return details.flatMap((detail) => (typeof detail === 'string' ? { key, detail } : []));
  });
}

function repeated(entries: readonly { url: string }[], identity: (url: string) => string): string[] {
  const identities = entries.map(({ url }) => identity(url));
  return entries.flatMap(({ url }, i) =>
    identities.indexOf(identity(url)) < i ? `${url} is listed more than once` : [],
  );
}
