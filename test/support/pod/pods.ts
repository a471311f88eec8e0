import { becomeOwner, type Credentials, type PodOwner } from './pod-owner.js';

/** The pods of a server that runs somewhere, and what their owners do with them. */
export abstract class Pods {
  readonly #owners = new Map<string, PodOwner>();

  /** Of the server, with a trailing slash, as it names itself. */
  abstract get url(): string;

  /** Becomes the owner of a pod of the server. */
  protected async logIn(pod: string): Promise<void> {
    const webId = `${this.url}${pod}/profile/card#me`;
    this.#owners.set(pod, await becomeOwner(this.url, webId, loginOf(pod)));
  }

  /** Writes a document as the owner of its pod, the first segment of the path. */
  async put(path: string, body: string, contentType: string): Promise<void> {
    await this.#asOwner(path, { method: 'PUT', headers: { 'content-type': contentType }, body });
  }

  async remove(path: string): Promise<void> {
    await this.#asOwner(path, { method: 'DELETE' });
  }

  /** Lets everyone read the container (a path with a trailing slash) and all below it. */
  makePublic(container: string): Promise<void> {
    return this.#writeAcl(container, '[] a acl:Authorization; acl:agentClass foaf:Agent; acl:mode acl:Read;');
  }

  /** Takes everyone's access to a document away, but for the owner's. */
  makePrivate(path: string): Promise<void> {
    return this.#writeAcl(path);
  }

  owner(pod: string): PodOwner {
    const owner = this.#owners.get(pod);
    if (!owner) throw new Error(`no pod named ${pod} was asked for`);
    return owner;
  }

  credentials(pod: string): Credentials {
    return this.owner(pod).credentials;
  }

  #ownerOf(path: string): PodOwner {
    return this.owner(path.split('/', 1)[0] ?? '');
  }

  async #writeAcl(path: string, rule?: string): Promise<void> {
    // Rules of a container are for itself and, by default, for what it holds (Web Access Control, section 4).
    const target = `acl:accessTo <./${path.endsWith('/') ? '' : path.slice(path.lastIndexOf('/') + 1)}>`;
    const scope = path.endsWith('/') ? `${target}; acl:default <./>` : target;
    const owner = `[] a acl:Authorization; acl:agent <${this.#ownerOf(path).webId}>; acl:mode acl:Read, acl:Write, acl:Control;`;
    const acl = [
      '@prefix acl: <http://www.w3.org/ns/auth/acl#>. @prefix foaf: <http://xmlns.com/foaf/0.1/>.',
      ...[owner, rule].filter((text) => text !== undefined).map((text) => `${text} ${scope} .`),
    ];
    await this.put(`${path}.acl`, acl.join('\n'), 'text/turtle');
  }

  async #asOwner(path: string, init: { method: string; headers?: object; body?: string }): Promise<void> {
    const response = await this.#ownerOf(path).fetch(this.url + path, init);
    const body = await response.text();
    if (!response.ok) throw new Error(`${init.method} ${path} answered ${response.status}: ${body}`);
  }
}

/** The account that owns the pod of this name. */
export function loginOf(pod: string) {
  return { email: `${pod}@example.org`, password: pod };
}
