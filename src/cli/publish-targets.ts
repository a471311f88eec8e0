import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, extname, join, resolve } from 'node:path';
import { podLogin } from '../config.js';
import { systemClock } from '../lib/clock.js';
import type { GuardedFetch } from '../lib/fetch/guarded-fetch.js';
import { createPodCredentials } from '../lib/fetch/solid-oidc.js';
import { webFetch } from '../lib/fetch/web-fetch.js';
import { unlessMissing } from '../lib/missing-file.js';
import { CHANGED, podDocument, type Target } from '../publish/document.js';

/**
 * A document of a pod, written to with client credentials of the environment.
 * @param issuer of the pod's owner; the pod's own server when absent
 * @throws Error when one of the two variables is missing
 */
export function podTarget(url: string, issuer: string | undefined, fetch: GuardedFetch): Target {
  const login = podLogin();
  const at = { issuer: issuer ?? new URL(url).origin, trust: 'configured', clock: systemClock } as const;
  const credentials = login && createPodCredentials({ ...at, ...login, fetch });
  const signIn = 'set POD_CLIENT_ID and POD_CLIENT_SECRET to client credentials of your pod';
  const target = podDocument(
    url,
    webFetch(fetch, { trust: 'configured', credentials }),
    credentials ? 'is it your pod?' : signIn,
  );
  if (credentials) return target;
  const write = () => Promise.reject(new Error(`${url} may not be written without a right: ${signIn}`));
  return { ...target, write };
}

/** The document of a folder: one address for all components in it, from however many packages. */
const DOCUMENT = 'components.ttl';

/**
 * A file for any static host. A folder has one document, to which each package adds its components.
 * @param at the address of the folder, or of the file, on the web
 */
export function folderTarget(to: string, at: string | undefined): Target {
  const isFile = extname(to) === '.ttl';
  const address = isFile ? to : join(to, DOCUMENT);
  const file = resolve(address);
  const name = isFile ? to.split(/[\\/]/).at(-1) : DOCUMENT;
  return {
    address,
    url: at?.endsWith('/') ? `${at}${name}` : at,
    async read() {
      return { text: await readFile(file, 'utf8').catch(unlessMissing) };
    },
    async write(text, before) {
      // A file system compares nothing when it writes, as a pod's server does.
      if ((await this.read()).text !== before.text) throw new Error(`${file} ${CHANGED}`);
      if (text === undefined) return rm(file);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text, { flag: before.text === undefined ? 'wx' : 'w' });
    },
  };
}
