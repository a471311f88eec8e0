import { systemClock } from '../../../src/lib/clock.js';
import { createGuardedFetch } from '../../../src/lib/fetch/guarded-fetch.js';
import { createPodCredentials } from '../../../src/lib/fetch/solid-oidc.js';

/** What a pod's owner hands to an agent that may read in its name (Solid-OIDC, client credentials). */
export interface Credentials {
  readonly id: string;
  readonly secret: string;
  readonly issuer: string;
}

const guarded = createGuardedFetch({
  userAgent: 'test',
  allowPrivate: true,
  maxBytes: 1e6,
  timeoutMs: 20_000,
});

/** Acts in a pod as its owner: every request carries a DPoP-bound token (RFC 9449) and a fresh proof. */
export class PodOwner {
  readonly #rights: ReturnType<typeof createPodCredentials>;

  constructor(
    readonly webId: string,
    readonly credentials: Credentials,
  ) {
    const options = { fetch: guarded, trust: 'configured', clock: systemClock } as const;
    this.#rights = createPodCredentials({ ...credentials, ...options });
  }

  async fetch(
    url: string,
    init: { method?: string; headers?: object; body?: string } = {},
  ): Promise<Response> {
    const { method = 'GET' } = init;
    const headers = { ...init.headers, ...(await this.#rights.authorize({ url, method })) };
    return fetch(url, { ...init, method, headers });
  }
}

/** Logs in at a Community Solid Server and makes client credentials for the WebID by its account API. */
export async function becomeOwner(
  server: string,
  webId: string,
  login: { email: string; password: string },
): Promise<PodOwner> {
  const { authorization } = await sendJson<{ authorization: string }>(
    `${server}.account/login/password/`,
    login,
  );
  const headers = { authorization: `CSS-Account-Token ${authorization}` };
  const account = await answerOf<{ controls: { account: { clientCredentials: string } } }>(
    await fetch(`${server}.account/`, { headers }),
  );
  const page = account.controls.account.clientCredentials;
  const made = await sendJson<{ id: string; secret: string }>(page, { name: 'test', webId }, headers);
  return new PodOwner(webId, { id: made.id, secret: made.secret, issuer: server });
}

async function sendJson<T>(url: string, body: object, headers: object = {}): Promise<T> {
  const json = { ...headers, 'content-type': 'application/json' };
  return answerOf<T>(await fetch(url, { method: 'POST', headers: json, body: JSON.stringify(body) }));
}

async function answerOf<T>(response: Response): Promise<T> {
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}: ${await response.text()}`);
  return response.json() as Promise<T>;
}
