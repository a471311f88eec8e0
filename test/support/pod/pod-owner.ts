import { exportJWK, type GenerateKeyPairResult, generateKeyPair, type JWK, SignJWT } from 'jose';

/** What a pod's owner hands to an agent that may read in its name (Solid-OIDC, client credentials). */
export interface Credentials {
  readonly id: string;
  readonly secret: string;
  readonly issuer: string;
}

interface Token {
  readonly text: string;
  readonly key: GenerateKeyPairResult;
  readonly jwk: JWK;
  readonly expires: number;
}

/** Acts in a pod as its owner: every request carries a DPoP-bound token (RFC 9449) and a fresh proof. */
export class PodOwner {
  #token: Token | undefined;

  constructor(
    readonly webId: string,
    readonly credentials: Credentials,
  ) {}

  async fetch(
    url: string,
    init: { method?: string; headers?: object; body?: string } = {},
  ): Promise<Response> {
    if (!this.#token || this.#token.expires < Date.now()) this.#token = await askToken(this.credentials);
    const { method = 'GET' } = init;
    const headers = {
      ...init.headers,
      authorization: `DPoP ${this.#token.text}`,
      dpop: await proof(this.#token, method, url),
    };
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

async function askToken({ id, secret, issuer }: Credentials): Promise<Token> {
  const key = await generateKeyPair('ES256');
  const jwk = await exportJWK(key.publicKey);
  const endpoint = `${issuer}.oidc/token`;
  const basic = Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64');
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: {
      authorization: `Basic ${basic}`,
      dpop: await proof({ key, jwk }, 'POST', endpoint),
    },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'webid' }),
  });
  const answer = await answerOf<{ access_token: string; expires_in: number }>(response);
  return { text: answer.access_token, key, jwk, expires: Date.now() + answer.expires_in * 500 };
}

function proof({ key, jwk }: Pick<Token, 'key' | 'jwk'>, method: string, url: string): Promise<string> {
  return new SignJWT({ htu: url, htm: method })
    .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk })
    .setJti(crypto.randomUUID())
    .setIssuedAt()
    .sign(key.privateKey);
}

async function sendJson<T>(url: string, body: object, headers: object = {}): Promise<T> {
  const json = { ...headers, 'content-type': 'application/json' };
  return answerOf<T>(await fetch(url, { method: 'POST', headers: json, body: JSON.stringify(body) }));
}

async function answerOf<T>(response: Response): Promise<T> {
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}: ${await response.text()}`);
  return response.json() as Promise<T>;
}
