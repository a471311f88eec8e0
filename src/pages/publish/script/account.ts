import { pageFetch } from '../../../host/fetching.js';
import { ACCEPT_RDF, parseRdf } from '../../../host/rdf.js';
import { parseLinks } from '../../../lib/http/headers/link-header.js';
import { type Fetch, mediaTypeOf } from '../../../publish/document.js';
import { wordsOf } from '../../browser/element.js';
import { inTime } from './own-node.js';
import type { SignIn } from './sign-in.js';

const OIDC_ISSUER = 'http://www.w3.org/ns/solid/terms#oidcIssuer';
const STORAGE = 'http://www.w3.org/ns/pim/space#storage';
const STORAGE_TYPE = 'http://www.w3.org/ns/pim/space#Storage';

/** What is remembered in the tab while the visitor is at the provider. */
const [CLIENT, DRAFT] = ['publish-client', 'publish-draft'] as const;

/** Sends the visitor to sign in at the provider of a WebID or pod. `draft` comes back with them. @throws Error */
export async function beginSignIn(address: string, client: string, draft: unknown): Promise<void> {
  const webId = new URL(address).href;
  // What is no profile is the address of the provider itself.
  const [issuer = new URL(webId).origin] = await valuesIn(webId, OIDC_ISSUER, pageFetch).catch(() => []);
  const known = canRead(issuer, client) ? client : '';
  sessionStorage.setItem(CLIENT, known);
  sessionStorage.setItem(DRAFT, JSON.stringify(draft));
  const signIn = await openSession(known);
  try {
    await signIn.begin(issuer);
  } catch (error) {
    throw new Error(`nobody can sign in at ${issuer}: ${wordsOf(error)}`, { cause: error });
  }
}

/** Takes up a sign-in where the provider has sent the visitor back; undefined for a visitor who has not signed in. @throws Error */
export async function finishSignIn(): Promise<SignIn | undefined> {
  const parameters = new URLSearchParams(location.search);
  const refusal = parameters.get('error');
  if (refusal) throw new Error(`you are not signed in: ${parameters.get('error_description') ?? refusal}`);
  if (!parameters.has('code')) return undefined;
  const signIn = await openSession(sessionStorage.getItem(CLIENT) ?? '');
  return signIn.webId === undefined ? undefined : signIn;
}

async function openSession(client: string): Promise<SignIn> {
  const { openSignIn } = await import('./sign-in.js');
  return openSignIn(location.origin + location.pathname, client);
}

/** What was filled in before the visitor went to sign in. */
export function draftBefore<T>(): T | undefined {
  const kept = sessionStorage.getItem(DRAFT);
  sessionStorage.removeItem(DRAFT);
  return kept === null ? undefined : (JSON.parse(kept) as T);
}

/** Can a provider fetch the client identifier document? Not from a machine that only its own user reaches. */
function canRead(issuer: string, client: string): boolean {
  const { protocol, hostname, origin } = new URL(client);
  if (origin !== location.origin) return false;
  return protocol === 'https:' || (hostname === 'localhost' && new URL(issuer).hostname === 'localhost');
}

/** URLs of somebody's storages, with a slash at the end: those that the profile names, else the one that it is in. */
export async function storagesOf({ webId = '', fetch }: SignIn): Promise<string[]> {
  const named = await valuesIn(webId, STORAGE, fetch);
  if (named.length > 0) return named;
  // The nearest container that its server calls a storage (Solid Protocol, section 4.1).
  for (let url = new URL('.', webId); ; url = new URL('..', url)) {
    const answer = await inTime(fetch)(url.href, { method: 'HEAD' });
    const isStorage = parseLinks(answer.headers.get('link')).some(
      ({ target, relations }) => target === STORAGE_TYPE && relations.includes('type'),
    );
    if (isStorage) return [url.href];
    if (url.pathname === '/') return [];
  }
}

/** The values that a profile has for a property of the person it is about. @throws Error */
async function valuesIn(webId: string, property: string, fetch: Fetch): Promise<string[]> {
  const url = webId.replace(/#.*$/s, '');
  const answer = await inTime(fetch)(url, { headers: { accept: ACCEPT_RDF } });
  if (!answer.ok) throw new Error(`${url} answers ${answer.status}`);
  const quads = await parseRdf(await answer.text(), mediaTypeOf(answer), answer.url || url);
  return quads
    .filter(({ subject, predicate }) => subject.value === webId && predicate.value === property)
    .map(({ object }) => object.value);
}
