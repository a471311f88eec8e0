import { podCredentials } from '../../acceptance/adapters/pod-credentials.js';

/** What a pod's owner hands to an agent that may read in its name (Solid-OIDC, client credentials). */
export interface Credentials {
  readonly id: string;
  readonly secret: string;
  readonly issuer: string;
}

/** Acts in a pod as its owner: every request carries a DPoP-bound token (RFC 9449) and a fresh proof. */
export class PodOwner {
  readonly #rights: ReturnType<typeof podCredentials>;

  constructor(
    readonly webId: string,
    readonly credentials: Credentials,
  ) {
    this.#rights = podCredentials(credentials);
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
