import { SessionCore, type SessionDatabase } from '@uvdsl/solid-oidc-client-browser/core';
import type { Fetch } from '../../../host/fetching.js';

/** A sign-in with Solid-OIDC at the provider of a pod. Its tokens are in the memory of this page, and go with it. */
export interface SignIn {
  /** Absent until somebody has signed in. */
  readonly webId: string | undefined;
  readonly fetch: Fetch;
  /** Leaves the page for that of the provider, which comes back to `page`. @throws Error when it cannot be asked */
  begin(issuer: string): Promise<void>;
}

/** `client`: URL of the client identifier document, or empty where the provider cannot read it and is told what it would say. */
export async function openSignIn(page: string, client: string): Promise<SignIn> {
  const unknown = { redirect_uris: [page], client_name: document.title };
  const session = new SessionCore(client === '' ? unknown : { client_id: client }, { database: inMemory() });
  await session.handleRedirectFromLogin();
  const { webId, authFetch } = session;
  return { webId, fetch: authFetch, begin: (issuer) => session.login(issuer, page) };
}

/** Where the library keeps what renews the tokens. */
function inMemory(): SessionDatabase {
  const kept = new Map<string, unknown>();
  const database: SessionDatabase = {
    init: async () => database,
    setItem: async (id, value) => void kept.set(id, value),
    getItem: async (id) => kept.get(id) ?? null,
    deleteItem: async (id) => void kept.delete(id),
    clear: async () => kept.clear(),
    close: () => undefined,
  };
  return database;
}
