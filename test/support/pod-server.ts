import { type ChildProcess, fork } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bareEnv, exitOf } from './child.js';
import { POD_SERVER_DIR } from './install-pod-server.js';
import { becomeOwner, type Credentials, type PodOwner } from './pod-owner.js';
import { RecordingProxy } from './recording-proxy.js';

/**
 * A real Community Solid Server on loopback. Its data is on disk, and it keeps its URL and its data over a restart.
 * Every request to it is recorded by the proxy that stands before it.
 */
export class PodServer {
  readonly proxy = new RecordingProxy();
  readonly #dir: string;
  readonly #owners = new Map<string, PodOwner>();
  #child: ChildProcess | undefined;
  #exited: Promise<unknown> = Promise.resolve();

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** With a trailing slash, as the server names itself. */
  get url(): string {
    return `${this.proxy.url}/`;
  }

  /** Starts the server with one account and one pod for each name. */
  async start(pods: readonly string[]): Promise<void> {
    const seed = join(this.#dir, 'seed.json');
    const accounts = pods.map((name) => ({ ...loginOf(name), pods: [{ name }] }));
    await writeFile(seed, JSON.stringify(accounts));
    await this.#launch(['--seedConfig', seed]);
    for (const name of pods) {
      const webId = `${this.url}${name}/profile/card#me`;
      this.#owners.set(name, await becomeOwner(this.url, webId, loginOf(name)));
    }
    this.proxy.take();
  }

  /** Starts it again at the same address, on the same data. */
  restart(): Promise<void> {
    return this.#launch([]);
  }

  /** Ends the process at once, as a power cut would; connections are refused until `restart`. */
  async kill(): Promise<void> {
    this.#child?.kill('SIGKILL');
    await this.proxy.close();
    await this.#exited;
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

  async #launch(more: readonly string[]): Promise<void> {
    await this.proxy.open();
    const options = [
      '-c',
      '@css:config/file.json',
      '-f',
      join(this.#dir, 'pods'),
      '-b',
      this.url,
      '-l',
      'error',
    ];
    const child = fork('node_modules/@solid/community-server/bin/server.js', [...options, ...more], {
      cwd: POD_SERVER_DIR,
      env: bareEnv(),
      execArgv: ['--require', `${POD_SERVER_DIR}listen-on-loopback.cjs`],
      // Its log complains of every deletion; what stops it from starting goes to stderr.
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#child = child;
    this.#exited = exitOf(child);
    const port = await Promise.race([portOf(child), this.#exited.then(() => undefined)]);
    if (port === undefined)
      throw new Error('the pod server ended before it listened; its last words are above');
    this.proxy.forwardTo(port);
  }
}

function loginOf(name: string) {
  return { email: `${name}@example.org`, password: name };
}

function portOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve) =>
    child.once('message', (message) => resolve((message as { port: number }).port)),
  );
}
