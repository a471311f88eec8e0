import { readDatabaseAddress } from './database-address.js';
import { type Environment, OPERATOR_TOKEN, STORE_URL } from './environment.js';
import type { ConfigFault } from './fault.js';
import { CONNECTION_SEGMENTS, isOwnPath } from './own-paths.js';
import { PORT, type Settings } from './schema.js';
import { isLoopback, sameBaseUrl, sameUrl } from './url.js';

/** Keys that are right by themselves and wrong together. */
interface Combination {
  /** Not judged while one of these has a fault of its own: what it was meant to be is not known. */
  readonly keys: readonly string[];
  /** Each fault, under the key that the operator most likely wants to change. */
  readonly faults: (settings: Settings, env: Environment) => ConfigFault[];
}

const COMBINATIONS: readonly Combination[] = [
  {
    keys: ['write', 'listen.host', 'insecureOpenWrite'],
    faults: ({ write, listen, insecureOpenWrite }) =>
      write === 'open' && !insecureOpenWrite && !isLoopback(listen.host)
        ? say(
            'write',
            `"open" lets anyone who reaches ${listen.host} write: listen on 127.0.0.1, use "operator" or "off", or set insecureOpenWrite to true`,
          )
        : [],
  },
  {
    keys: ['write'],
    faults: ({ write }, env) =>
      write === 'operator' && env[OPERATOR_TOKEN] === undefined
        ? say('write', `"operator" needs the environment variable ${OPERATOR_TOKEN}`)
        : [],
  },
  {
    keys: ['mode', 'write'],
    faults: ({ mode, write }) =>
      mode === 'mirror' && write !== 'off'
        ? say('write', 'a mirror takes no writes: with mode "mirror" it must be "off"')
        : [],
  },
  {
    keys: ['mode'],
    faults: ({ mode, pods }) =>
      mode === 'mirror' && pods.length > 0
        ? say('pods', 'a mirror polls no pods: with mode "mirror" the list must be empty')
        : [],
  },
  {
    keys: ['mode', 'peers'],
    faults: ({ mode, peers }) =>
      mode === 'mirror' && peers.length === 0
        ? say('peers', 'a mirror replicates its peers: with mode "mirror" name at least one')
        : [],
  },
  { keys: [], faults: ({ peers }) => repeated(peers, sameBaseUrl).flatMap((url) => twice('peers', url)) },
  { keys: [], faults: ({ pods }) => repeated(pods, sameUrl).flatMap((url) => twice('pods', url)) },
  {
    keys: ['baseUrl', 'listen.port'],
    faults: ({ baseUrl, listen, peers }) => {
      const own = sameBaseUrl(baseUrl.replace(PORT, String(listen.port)));
      return peers
        .filter(({ url }) => sameBaseUrl(url) === own)
        .flatMap(({ url }) => say('peers', `${url} is this node itself (see baseUrl)`));
    },
  },
  {
    keys: ['baseUrl', 'connection.path'],
    faults: ({ baseUrl, connection }) => {
      const { pathname } = new URL(baseUrl.replace(`:${PORT}`, ''));
      const [, first] = pathname.split('/');
      const taken = [...CONNECTION_SEGMENTS, connection.path.split('/')[1]];
      return pathname !== '/' && (isOwnPath(pathname) || taken.includes(first))
        ? say(
            'baseUrl',
            `its path begins with /${first}, where the node itself answers; choose another, such as /registry`,
          )
        : [];
    },
  },
  { keys: [], faults: ({ pods }, env) => pods.flatMap((pod) => unsetVariables(pod, env)) },
  { keys: ['store.engine'], faults: ({ store }, env) => storeFaults(store, env) },
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
  return COMBINATIONS.filter(({ keys }) => !keys.some(unclear)).flatMap(({ faults }) =>
    faults(settings, env),
  );
}

function say(key: string, detail: string): ConfigFault[] {
  return [{ key, detail }];
}

function twice(key: string, url: string): ConfigFault[] {
  return say(key, `${url} is listed more than once`);
}

function repeated(entries: readonly { url: string }[], identity: (url: string) => string): string[] {
  const urls = entries.map(({ url }) => url);
  const identities = urls.map(identity);
  return urls.filter((_, i) => identities.indexOf(identities[i] ?? '') < i);
}

function unsetVariables({ url, auth }: Settings['pods'][number], env: Environment): ConfigFault[] {
  if (!auth) return [];
  return [auth.id, auth.secret]
    .filter((variable) => !env[variable])
    .flatMap((variable) =>
      say('pods', `${url} needs the environment variable ${variable}, which is not set`),
    );
}

/** What is said of an address never quotes it: there may be a password in it. */
function storeFaults({ engine }: Settings['store'], env: Environment): ConfigFault[] {
  const url = env[STORE_URL];
  if (engine === 'disk') {
    return url === undefined
      ? []
      : say(
          STORE_URL,
          'names a database, and store.engine is "disk": set store.engine to "postgres", or unset it',
        );
  }
  if (url === undefined) return say('store.engine', `"postgres" needs the environment variable ${STORE_URL}`);
  return readDatabaseAddress(url)
    ? []
    : say(
        STORE_URL,
        'must have the form postgres://user:password@host:5432/database; several hosts are separated by commas, and special characters in the password are percent-encoded',
      );
}
