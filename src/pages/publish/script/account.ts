import { pageFetch } from '../../../host/fetching.js';
import { ACCEPT_RDF, parseRdf } from '../../../host/rdf.js';
import { parseLinks } from '../../../lib/http/headers/link-header.js';
import type { Fetch } from '../../../publish/document.js';
import { strangersFetch } from './own-node.js';
import type { SignIn } from './sign-in.js';

const OIDC_ISSUER = 'http://www.w3.org/ns/solid/terms#oidcIssuer';
const STORAGE = 'http://www.w3.org/ns/pim/space#storage';
const STORAGE_TYPE = 'http://www.w3.org/ns/pim/space#Storage';

/** What is remembered in the tab while the visitor is at the provider. */
const [CLIENT, DRAFT] = ['publish-client', 'publish-draft'] as const;

/** Sends the visitor to sign in at the provider of a WebID or pod. `draft` comes back with them. @throws Error */
export async function beginSignIn(address: string, client: string, draft: unknown): Promise<void> {
  const issuer = await issuerOf(new URL(address).href);
  const known = canRead(issuer, client) ? client : undefined;
  sessionStorage.setItem(CLIENT, known ?? '');
  sessionStorage.setItem(DRAFT, JSON.stringify(draft));
  const { openSignIn } = await import('./sign-in.js');
  const signIn = await openSignIn(ownAddress(), known);
  try {
    await signIn.begin(issuer);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : cause;
    throw new Error(`${issuer} lets nobody sign in from here: ${why}`, { cause });
  }
}

/** Takes up a sign-in where the provider has sent the visitor back; undefined for a visitor who has not signed in. @throws Error */
export async function finishSignIn(): Promise<SignIn | undefined> {
  const parameters = new URLSearchParams(location.search);
  const refusal = parameters.get('error');
  if (refusal !== null)
    throw new Error(`you are not signed in: ${parameters.get('error_description') ?? refusal}`);
  if (!parameters.has('code')) return undefined;
  const { openSignIn } = await import('./sign-in.js');
  const signIn = await openSignIn(ownAddress(), sessionStorage.getItem(CLIENT) || undefined);
  return signIn.webId === undefined ? undefined : signIn;
}

/** What was filled in before the visitor went to sign in. */
export function draftBefore<T>(): T | undefined {
  const kept = sessionStorage.getItem(DRAFT);
  sessionStorage.removeItem(DRAFT);
  return kept === null ? undefined : (JSON.parse(kept) as T);
}

function ownAddress(): string {
  return location.origin + location.pathname;
}

/** Can a provider fetch the client identifier document? Not from a machine that only its own user reaches. */
function canRead(issuer: string, client: string): boolean {
  const [own, provider] = [new URL(client), new URL(issuer)];
  if (own.origin !== location.origin) return false;
  return own.protocol === 'https:' || (own.hostname === 'localhost' && provider.hostname === 'localhost');
}

/** The provider that signs somebody in: the one that a WebID names, else the server of the address itself. */
async function issuerOf(webId: string): Promise<string> {
  // What is no profile is the address of the provider itself.
  const issuers = await valuesIn(webId, OIDC_ISSUER, pageFetch).catch(() => []);
  return issuers[0] ?? new URL(webId).origin;
}

/** URLs of somebody's storages, with a slash at the end: those that the profile names, else the one that it is in. */
export async function storagesOf(webId: string, fetch: Fetch): Promise<string[]> {
  const named = await valuesIn(webId, STORAGE, fetch);
  if (named.length > 0) return named;
  // The nearest container that its server calls a storage (Solid Protocol, section 4.1).
  for (let url = new URL('.', webId); ; url = new URL('..', url)) {
    const answer = await fetch(url.href, { method: 'HEAD' });
    const links = parseLinks(answer.headers.get('link'));
    const isType = ({ target, relations }: (typeof links)[number]) =>
      target === STORAGE_TYPE && relations.includes('type');
    if (links.some(isType)) return [url.href];
    if (url.pathname === '/') return [];
  }
}

/** The values that a profile has for a property of the person it is about. @throws Error */
async function valuesIn(webId: string, property: string, fetch: Fetch): Promise<string[]> {
  const url = webId.replace(/#.*$/s, '');
  const answer = await (fetch === pageFetch ? strangersFetch : fetch)(url, {
    headers: { accept: ACCEPT_RDF },
  });
  if (!answer.ok) throw new Error(`${url} answers ${answer.status}`);
  const type = (answer.headers.get('content-type') ?? '').replace(/;.*$/s, '').trim().toLowerCase();
  const quads = await parseRdf(await answer.text(), type, answer.url || url);
  const said = quads.filter(({ predicate }) => predicate.value === property);
  return said.filter(({ subject }) => subject.value === webId).map(({ object }) => object.value);
}
