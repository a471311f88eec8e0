import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Exit } from '../child.js';
import { cleanup } from '../cleanup.js';
import { type Ended, listening, type Started, startProgram } from '../run-program.js';
import { tempDir } from '../temp-dir.js';
import { configOf, envOf, type NodeOptions } from './node-options.js';
import { getJson } from './node-reader.js';

/** One line of the log, as JSON. */
export type LogLine = Readonly<Record<string, unknown>> & { readonly msg?: string };

/** A node as operators run it: its own process, a config file and a data directory that outlives restarts. */
export class NodeProcess {
  readonly #runs: Started[] = [];
  #listens: Awaited<ReturnType<typeof listening>> | undefined;

  constructor(
    private readonly dir: string,
    private options: NodeOptions,
  ) {}

  /** Its `baseUrl` in this run, without a trailing slash. */
  get url(): string {
    return this.#listening.url;
  }

  /** Where it listens in this run, which is elsewhere than its `baseUrl` leads where nodes share that. */
  get address(): string {
    return `http://${this.#listening.node}`;
  }

  /** The id of its process in this run. */
  get pid(): number {
    return this.#run.child.pid as number;
  }

  /** Where its data is; another process may be pointed at it. */
  get dataDir(): string {
    return join(this.dir, 'data');
  }

  /** Lines of every run so far. */
  get log(): LogLine[] {
    // What comes behind the last end of a line is not whole yet.
    const lines = this.#runs.flatMap(({ written }) => written.stdout.split('\n').slice(0, -1));
    return lines.map((line) => JSON.parse(line) as LogLine);
  }

  /** Of every run so far. */
  get stderr(): string {
    return this.#runs.map(({ written }) => written.stderr).join('');
  }

  get #listening() {
    if (!this.#listens) throw new Error('the node is not running');
    return this.#listens;
  }

  get #run(): Started {
    const run = this.#runs.at(-1);
    if (!run) throw new Error('the node has never been started');
    return run;
  }

  /** Runs another command of its program, with its configuration. Gives all that it prints when it has ended. */
  async run(...args: readonly string[]): Promise<Ended> {
    return (await this.#start(...args)).ended;
  }

  /** Starts it on its data, with other options than before if they are given. @throws Error with all that it says when it ends before it listens */
  async start(options: NodeOptions = this.options): Promise<void> {
    this.options = options;
    await this.spawn();
    this.#listens = await listening(this.#run);
  }

  /** Starts the process without waiting for anything but its config file. */
  async spawn(): Promise<void> {
    this.#listens = undefined;
    this.#runs.push(await this.#start('serve'));
  }

  /** Resolves when the process ends by itself. */
  get exit(): Promise<Exit> {
    return this.#run.exit;
  }

  signal(signal: NodeJS.Signals): void {
    this.#runs.at(-1)?.child.kill(signal);
  }

  /** Asks it to stop. @throws Error unless it exits with 0: it does not when it needs more than the 5 s that it has. */
  async stop(): Promise<void> {
    this.signal('SIGTERM');
    const { code, signal } = await this.exit;
    if (code !== 0) throw new Error(`a stop ended with ${code ?? signal}:\n${this.#run.said()}`);
  }

  /** Ends it in the middle of whatever it does. */
  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.#runs.at(-1)?.exit;
  }

  getJson<T>(path: string): Promise<T> {
    return getJson(this.url + path);
  }

  /** Writes its config file. Gives its path. */
  async writeConfig(): Promise<string> {
    const file = join(this.dir, 'node.config.json');
    await writeFile(file, JSON.stringify(configOf(this.dataDir, this.options)));
    return file;
  }

  /** Starts a command with its configuration. */
  async #start(...args: readonly string[]): Promise<Started> {
    const command = [...args, '--config', await this.writeConfig()];
    return startProgram(command, { cwd: this.dir, env: envOf(this.options) });
  }
}

/** Starts a node that ends with its test. */
export async function startNode(options: NodeOptions = {}): Promise<NodeProcess> {
  const node = await prepareNode(options);
  await node.start();
  return node;
}

/** A node that is not running yet, for tests of what happens at the start. */
export async function prepareNode(options: NodeOptions = {}): Promise<NodeProcess> {
  const node = new NodeProcess(await tempDir(), options);
  cleanup(() => node.kill());
  return node;
}
