import { isLoopback } from '../lib/fetch/address.js';
import { readDatabaseAddress } from './database-address.js';
import { type Environment, OPERATOR_TOKEN, STORE_URL } from './environment.js';
import type { ConfigFault } from './fault.js';
import { CONNECTION_SEGMENTS, isOwnPath } from './own-paths.js';
import { PORT, type Settings } from './schema.js';
import { sameBaseUrl, sameUrl } from './url.js';

/**
 * Every impossible combination of keys that are right by themselves. A fault stands under the key that the operator most
 * likely wants to change.
 */
export function combinationFaults(settings: Settings, env: Environment): ConfigFault[] {
  return [
    ...writeFaults(settings, env),
    ...(settings.mode === 'mirror' ? mirrorFaults(settings) : []),
    ...sourceFaults(settings, env),
    ...pathFaults(settings),
    ...storeFaults(settings, env[STORE_URL]),
  ];
}

type Faults = Generator<ConfigFault>;

function* writeFaults({ write, insecureOpenWrite, listen: { host } }: Settings, env: Environment): Faults {
  if (write === 'open' && !insecureOpenWrite && !isLoopback(host)) {
    const mend = 'listen on 127.0.0.1, use "operator" or "off", or set insecureOpenWrite to true';
    yield { key: 'write', detail: `"open" lets anyone who reaches ${host} write: ${mend}` };
  }
  if (write === 'operator' && env[OPERATOR_TOKEN] === undefined)
    yield { key: 'write', detail: `"operator" needs the environment variable ${OPERATOR_TOKEN}` };
}

function* mirrorFaults({ write, pods, peers }: Settings): Faults {
  const mirror = 'with mode "mirror"';
  if (write !== 'off') yield { key: 'write', detail: `a mirror takes no writes: ${mirror} it must be "off"` };
  if (pods.length > 0)
    yield { key: 'pods', detail: `a mirror polls no pods: ${mirror} the list must be empty` };
  if (peers.length === 0)
    yield { key: 'peers', detail: `a mirror replicates its peers: ${mirror} name at least one` };
}

function* sourceFaults({ baseUrl, listen, peers, pods }: Settings, env: Environment): Faults {
  yield* repeated('peers', peers, sameBaseUrl);
  yield* repeated('pods', pods, sameUrl);
  const own = sameBaseUrl(baseUrl.replace(PORT, String(listen.port)));
  for (const { url } of peers)
    if (sameBaseUrl(url) === own) yield { key: 'peers', detail: `${url} is this node itself (see baseUrl)` };
  for (const { url, auth } of pods)
    for (const name of auth ? [auth.id, auth.secret] : [])
      if (!env[name])
        yield { key: 'pods', detail: `${url} needs the environment variable ${name}, which is not set` };
}

/** What is said of the address of a database never quotes it: there may be a password in it. */
function* storeFaults({ store }: Settings, address: string | undefined): Faults {
  const isShared = store.engine === 'postgres';
  if (isShared && address === undefined)
    yield { key: 'store.engine', detail: `"postgres" needs the environment variable ${STORE_URL}` };
  if (!isShared && address !== undefined) {
    const mend = 'set store.engine to "postgres", or unset it';
    yield { key: STORE_URL, detail: `names a database, and store.engine is "disk": ${mend}` };
  }
  if (isShared && address !== undefined && !readDatabaseAddress(address)) {
    const form = 'postgres://user:password@host:5432/database; several hosts are separated by commas';
    const more = 'and special characters in the password are percent-encoded';
    yield { key: STORE_URL, detail: `must have the form ${form}, ${more}` };
  }
}

/** The node may answer something else below the path of `baseUrl`. */
function* pathFaults({ baseUrl, connection }: Settings): Faults {
  const { pathname } = new URL(baseUrl.replace(`:${PORT}`, ''));
  const [, first] = pathname.split('/');
  const ofConnections = connection.path === '/' ? CONNECTION_SEGMENTS : [connection.path.split('/')[1]];
  if (pathname === '/' || !(isOwnPath(pathname) || ofConnections.includes(first))) return;
  const mend = 'choose another, such as /registry';
  yield { key: 'baseUrl', detail: `its path begins with /${first}, where the node itself answers; ${mend}` };
}

function repeated(
  key: string,
  entries: readonly { url: string }[],
  identity: (url: string) => string,
): ConfigFault[] {
  const identities = entries.map(({ url }) => identity(url));
  return entries
    .filter(({ url }, i) => identities.indexOf(identity(url)) < i)
    .map(({ url }) => ({ key, detail: `${url} is listed more than once` }));
}
