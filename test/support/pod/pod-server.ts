import { type ChildProcess, fork } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bareEnv, exitOf } from '../child.js';
import { POD_SERVER_DIR } from '../install-packages.js';
import { RecordingProxy } from '../proxy/recording-proxy.js';
import { loginOf, Pods } from './pods.js';

/**
 * A real Community Solid Server on loopback. Its data is on disk, and it keeps its URL and its data over a restart.
 * Every request to it is recorded by the proxy that stands before it.
 */
export class PodServer extends Pods {
  readonly proxy = new RecordingProxy();
  readonly #dir: string;
  #child: ChildProcess | undefined;
  #exited: Promise<unknown> = Promise.resolve();

  constructor(dir: string) {
    super();
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
    for (const name of pods) await this.logIn(name);
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
    const child = fork('start.cjs', [...options, ...more], {
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

function portOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve) =>
    child.once('message', (message) => resolve((message as { port: number }).port)),
  );
}
