import { type Fetch, pageFetch } from '../../../host/fetching.js';
import { documentOf } from '../../../host/graph-shapes.js';
import { type Graph, linksOf, readGraph } from './graph.js';

const SOLID = 'http://www.w3.org/ns/solid/terms#';
const STORAGE = 'http://www.w3.org/ns/pim/space#storage';
const STORAGE_TYPE = 'http://www.w3.org/ns/pim/space#Storage';

/** The provider that signs somebody in: the one that a WebID names, else the server of the address itself. */
export async function issuerOf(address: string): Promise<string> {
  const webId = new URL(address).href;
  try {
    const profile = await readGraph(documentOf(webId), pageFetch);
    const issuers = profile.quads.filter(({ predicate }) => predicate.value === `${SOLID}oidcIssuer`);
    const own = issuers.find(({ subject }) => subject.value === webId) ?? issuers[0];
    if (own) return own.object.value;
  } catch {
    // It is no profile: then it is where the provider itself is.
  }
  return new URL(webId).origin;
}

export interface Places {
  /** URLs of the visitor's storages, with a slash at the end. */
  readonly storages: readonly string[];
  /** Where descriptions of components belong: as the type index says, else in a storage. */
  readonly container: string | undefined;
}

/** Where somebody's descriptions can be written. @param component IRI of the class of components */
export async function placesOf(webId: string, component: string, fetch: Fetch): Promise<Places> {
  const profile = await readGraph(documentOf(webId), fetch);
  const named = profile.objects(webId, STORAGE);
  const storages =
    named.length > 0 ? named : [await storageAbove(documentOf(webId), fetch)].filter((one) => one !== '');
  const registered = await registeredIn(profile, webId, component, fetch);
  const [first] = storages;
  return { storages, container: registered ?? (first === undefined ? undefined : `${first}components/`) };
}

/** The storage that a document is in: the nearest container that its server calls one (Solid Protocol, section 4.1); `''` for none. */
async function storageAbove(document: string, fetch: Fetch): Promise<string> {
  for (let url = new URL('.', document); ; url = new URL('..', url)) {
    const links = await linksOf(url.href, fetch);
    const isStorage = links.some(
      ({ target, relations }) => target === STORAGE_TYPE && relations.includes('type'),
    );
    if (isStorage) return url.href;
    if (url.pathname === '/') return '';
  }
}

/** The container that the public type index of a profile has for components (Solid Type Indexes). */
async function registeredIn(
  profile: Graph,
  webId: string,
  component: string,
  fetch: Fetch,
): Promise<string | undefined> {
  const [index] = profile.objects(webId, `${SOLID}publicTypeIndex`);
  if (index === undefined) return undefined;
  // An index that is not there, or is broken, says nothing.
  const types = await readGraph(index, fetch).catch(() => undefined);
  const registrations = types?.subjects(`${SOLID}forClass`, component) ?? [];
  return registrations.flatMap((one) => types?.objects(one, `${SOLID}instanceContainer`) ?? [])[0];
}
