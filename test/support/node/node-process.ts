import { type ChildProcess, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { bareEnv, type Exit, exitOf } from '../child.js';
import { cleanup } from '../cleanup.js';
import { type Ended, MAIN, startCommand } from '../run-program.js';
import { tempDir } from '../temp-dir.js';
import { configOf, envOf, type NodeOptions } from './node-options.js';
import { getJson } from './node-reader.js';

/** One line of the log, as JSON. */
export type LogLine = Readonly<Record<string, unknown>> & { readonly msg?: string };

/** A node as operators run it: its own process, a config file and a data directory that outlives restarts. */
export class NodeProcess {
  /** Lines of every run so far. */
  readonly log: LogLine[] = [];
  stderr = '';
  #options: NodeOptions;
  readonly #dir: string;
  #child: ChildProcess | undefined;
  #exit: Promise<Exit> = Promise.resolve({ code: null, signal: null });
  #url: string | undefined;

  constructor(dir: string, options: NodeOptions) {
    this.#dir = dir;
    this.#options = options;
  }

  /** Where it listens in this run, without a trailing slash. */
  get url(): string {
    if (!this.#url) throw new Error('the node is not running');
    return this.#url;
  }

  /** The id of its process in this run. */
  get pid(): number {
    if (this.#child?.pid === undefined) throw new Error('the node is not running');
    return this.#child.pid;
  }

  /** Where its data is; another process may be pointed at it. */
  get dataDir(): string {
    return join(this.#dir, 'data');
  }

  get options(): NodeOptions {
    return this.#options;
  }

  /** Runs another command of its program, with its configuration. Gives all that it prints when it has ended. */
  async run(...args: readonly string[]): Promise<Ended> {
    const command = [process.execPath, MAIN, ...args, '--config', await this.writeConfig()];
    return startCommand(command, { cwd: this.#dir, env: envOf(this.#options) }).ended;
  }

  /** Resolves when it listens. @throws Error with its last words when it ends before that. */
  async start(): Promise<void> {
    await this.spawn();
    const ended = this.#exit.then(({ code }) => {
      throw new Error(`the node ended with ${code} before it listened:\n${this.#lastWords()}`);
    });
    await Promise.race([this.#listening(), ended]);
  }

  /** Writes its config file, for commands that are run before it starts. Gives its path. */
  async writeConfig(): Promise<string> {
    const file = join(this.#dir, 'node.config.json');
    await writeFile(file, JSON.stringify(configOf(this.dataDir, this.#options)));
    return file;
  }

  /** Starts the process without waiting for anything but its config file. */
  async spawn(): Promise<void> {
    const { args = [] } = this.#options;
    const file = await this.writeConfig();
    this.#url = undefined;
    this.#child = spawn(process.execPath, [MAIN, 'serve', '--config', file, ...args], {
      cwd: this.#dir,
      env: bareEnv(envOf(this.#options)),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#exit = exitOf(this.#child);
    this.#readOutput(this.#child);
  }

  /** Resolves when the process ends by itself. */
  get exit(): Promise<Exit> {
    return this.#exit;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  /** Asks it to stop. @throws Error unless it exits with 0: it does not when it needs more than the 5 s that it has. */
  async stop(): Promise<void> {
    this.signal('SIGTERM');
    const { code, signal } = await this.#exit;
    if (code !== 0) throw new Error(`a stop ended with ${code ?? signal}:\n${this.#lastWords()}`);
  }

  /** Ends it in the middle of whatever it does. */
  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.#exit;
  }

  /** Starts it again on the same data, after `stop` or `kill`; with other options if they are given. */
  async restart(options: NodeOptions = this.#options): Promise<void> {
    this.#options = options;
    await this.start();
  }

  getJson<T>(path: string): Promise<T> {
    return getJson(this.url + path);
  }

  #readOutput(child: ChildProcess): void {
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    if (!child.stdout) return;
    createInterface({ input: child.stdout }).on('line', (line) => {
      const entry = readLine(line);
      this.log.push(entry);
      if (entry.msg === 'listening' && typeof entry.url === 'string') {
        this.#url = entry.url.replace(/\/$/, '');
        child.emit('listening');
      }
    });
  }

  #listening(): Promise<void> {
    return new Promise((resolve) => this.#child?.once('listening', resolve));
  }

  #lastWords(): string {
    return [...this.log.slice(-20).map((line) => JSON.stringify(line)), this.stderr].join('\n');
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

/** What is not JSON is kept, so that a test can say that everything must be. */
function readLine(line: string): LogLine {
  try {
    return JSON.parse(line) as LogLine;
  } catch (error) {
    return { unreadable: line, why: String(error) };
  }
}
