import { podCredentials } from '../../acceptance/adapters/pod-credentials.js';
import { postJson } from '../node/post-json.js';

/** The account of a pod server, and the one pod that it has there. */
export const LOGIN = { email: 'tests@example.org', password: 'tests' };
export const POD_NAME = 'tests';

/** What a pod's owner hands to an agent that may read in its name (Solid-OIDC, client credentials); the issuer is the pod server. */
export interface Credentials {
  readonly id: string;
  readonly secret: string;
  readonly issuer: string;
}

/** A request to the pod server, and what came back. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly authenticated: boolean;
  readonly status: number;
  /** Bytes of the answer's body. */
  readonly bytes: number;
}

interface Sent {
  readonly method?: string;
  readonly headers?: object;
  readonly body?: string;
}

/** Everybody may read. */
export const READERS = '[] a acl:Authorization; acl:agentClass foaf:Agent; acl:mode acl:Read;';

/** The pod of a Community Solid Server, and what its owner does with it: requests carry DPoP-bound tokens (RFC 9449). */
export class Pod {
  /** With a trailing slash. */
  readonly url: string;
  readonly webId: string;
  readonly server: string;
  readonly #rights: ReturnType<typeof podCredentials>;

  constructor(readonly credentials: Credentials) {
    this.server = credentials.issuer;
    this.url = `${this.server}${POD_NAME}/`;
    this.webId = webIdAt(this.server);
    this.#rights = podCredentials(credentials);
  }

  /** Asks as the owner. */
  async fetch(url: string, { method = 'GET', ...init }: Sent = {}): Promise<Response> {
    const headers = { ...init.headers, ...(await this.#rights.authorize({ url, method })) };
    return fetch(url, { ...init, method, headers });
  }

  /** Writes a document at a path below the pod. */
  put = (path: string, body: string, contentType: string): Promise<void> =>
    this.#change(path, { method: 'PUT', headers: { 'content-type': contentType }, body });

  remove(path: string): Promise<void> {
    return this.#change(path, { method: 'DELETE' });
  }

  /** Lets everyone read the container (a path with a trailing slash) and all below it. */
  makePublic(container: string): Promise<void> {
    return this.writeRules(container, READERS);
  }

  /** Takes everyone's access to a document away, but for the owner's. */
  makePrivate(path: string): Promise<void> {
    return this.writeRules(path);
  }

  /** Who may do what with a resource beside its owner; of a container, rules are for what it holds, too (Web Access Control, section 4). */
  async writeRules(path: string, rule?: string, { inherited = path.endsWith('/') } = {}): Promise<void> {
    const target = `acl:accessTo <./${path.endsWith('/') ? '' : path.slice(path.lastIndexOf('/') + 1)}>`;
    const scope = (isInherited: boolean) => (isInherited ? `${target}; acl:default <./>` : target);
    const owner = `[] a acl:Authorization; acl:agent <${this.webId}>; acl:mode acl:Read, acl:Write, acl:Control;`;
    const acl = [
      '@prefix acl: <http://www.w3.org/ns/auth/acl#>. @prefix foaf: <http://xmlns.com/foaf/0.1/>.',
      `${owner} ${scope(path.endsWith('/'))} .`,
      ...(rule === undefined ? [] : [`${rule} ${scope(inherited)} .`]),
    ];
    await this.put(`${path}.acl`, acl.join('\n'), 'text/turtle');
  }

  /** The requests for what lies below a path, by whomever, since the last call. */
  async take(path: string): Promise<Exchange[]> {
    const { pathname } = new URL(this.url + path);
    return answerOf(await fetch(`${this.server}.taken?${pathname}`));
  }

  async #change(path: string, init: Sent): Promise<void> {
    const response = await this.fetch(this.url + path, init);
    const body = await response.text();
    if (!response.ok) throw new Error(`${init.method} ${path} answered ${response.status}: ${body}`);
  }
}

/** Logs in, and makes client credentials by the account API. One at a time: the server loses one of two that are made at once. */
export async function makeCredentials(server: string): Promise<Credentials> {
  type Account = { controls: { account: { clientCredentials: string } } };
  const login = await fetch(`${server}.account/login/password/`, postJson(LOGIN));
  const { authorization } = await answerOf<{ authorization: string }>(login);
  const headers = { authorization: `CSS-Account-Token ${authorization}` };
  const { controls } = await answerOf<Account>(await fetch(`${server}.account/`, { headers }));
  const asked = { name: 'test', webId: webIdAt(server) };
  const made = await fetch(controls.account.clientCredentials, postJson(asked, headers));
  const { id, secret } = await answerOf<Credentials>(made);
  return { id, secret, issuer: server };
}

const webIdAt = (server: string) => `${server}${POD_NAME}/profile/card#me`;

async function answerOf<T>(response: Response): Promise<T> {
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}: ${await response.text()}`);
  return response.json() as Promise<T>;
}
