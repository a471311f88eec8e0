import { issuerOf } from './profile.js';
import type { SignIn } from './sign-in.js';

/** What is remembered in the tab while the visitor is at the provider. */
const [CLIENT, DRAFT] = ['publish-client', 'publish-draft'] as const;

/** Sends the visitor to sign in at the provider of a WebID or pod. `draft` comes back with them. @throws Error */
export async function beginSignIn(address: string, client: string, draft: unknown): Promise<void> {
  const issuer = await issuerOf(address);
  const known = canRead(issuer, client) ? client : undefined;
  sessionStorage.setItem(CLIENT, known ?? '');
  sessionStorage.setItem(DRAFT, JSON.stringify(draft));
  const { openSignIn } = await import('./sign-in.js');
  const signIn = await openSignIn(ownAddress(), known);
  try {
    await signIn.begin(issuer);
  } catch (cause) {
    throw new Error(
      `${issuer} lets nobody sign in from here: ${cause instanceof Error ? cause.message : cause}`,
      { cause },
    );
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
