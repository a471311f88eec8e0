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
  const { baseUrl, listen, mode, write, insecureOpenWrite, peers, pods, store } = settings;
  const faults: ConfigFault[] = [];
  const check = (key: string, isWrong: boolean, detail: string) => {
    if (isWrong) faults.push({ key, detail });
  };
  check(
    'write',
    write === 'open' && !insecureOpenWrite && !isLoopback(listen.host),
    `"open" lets anyone who reaches ${listen.host} write: listen on 127.0.0.1, use "operator" or "off", or set insecureOpenWrite to true`,
  );
  check(
    'write',
    write === 'operator' && env[OPERATOR_TOKEN] === undefined,
    `"operator" needs the environment variable ${OPERATOR_TOKEN}`,
  );
  if (mode === 'mirror') {
    check('write', write !== 'off', 'a mirror takes no writes: with mode "mirror" it must be "off"');
    check('pods', pods.length > 0, 'a mirror polls no pods: with mode "mirror" the list must be empty');
    check('peers', peers.length === 0, 'a mirror replicates its peers: with mode "mirror" name at least one');
  }
  faults.push(...repeated('peers', peers, sameBaseUrl), ...repeated('pods', pods, sameUrl));
  const own = sameBaseUrl(baseUrl.replace(PORT, String(listen.port)));
  for (const { url } of peers)
    check('peers', sameBaseUrl(url) === own, `${url} is this node itself (see baseUrl)`);
  const taken = pathTaken(settings);
  check(
    'baseUrl',
    taken !== undefined,
    `its path begins with /${taken}, where the node itself answers; choose another, such as /registry`,
  );
  for (const { url, auth } of pods) {
    for (const variable of auth ? [auth.id, auth.secret] : [])
      check('pods', !env[variable], `${url} needs the environment variable ${variable}, which is not set`);
  }
  const address = env[STORE_URL];
  const isShared = store.engine === 'postgres';
  check(
    'store.engine',
    isShared && address === undefined,
    `"postgres" needs the environment variable ${STORE_URL}`,
  );
  check(
    STORE_URL,
    !isShared && address !== undefined,
    'names a database, and store.engine is "disk": set store.engine to "postgres", or unset it',
  );
  // What is said of an address never quotes it: there may be a password in it.
  check(
    STORE_URL,
    isShared && address !== undefined && !readDatabaseAddress(address),
    'must have the form postgres://user:password@host:5432/database; several hosts are separated by ' +
      'commas, and special characters in the password are percent-encoded',
  );
  return faults;
}

/** The first segment of the path of `baseUrl`, where the node answers something else there. */
function pathTaken({ baseUrl, connection }: Settings): string | undefined {
  const { pathname } = new URL(baseUrl.replace(`:${PORT}`, ''));
  const [, first] = pathname.split('/');
  const ofConnections = [...CONNECTION_SEGMENTS, connection.path.split('/')[1]];
  return pathname !== '/' && (isOwnPath(pathname) || ofConnections.includes(first)) ? first : undefined;
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
