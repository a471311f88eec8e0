import { join } from 'node:path';
import { parseConfig } from '../../../src/config.js';
import { createLog } from '../../../src/lib/log.js';
import { systemPace } from '../../../src/lib/pace.js';
import { inProcess } from '../../../src/lib/pool/task.js';
import type { Given } from '../../../src/node/given.js';
import { createNode, type Node } from '../../../src/node.js';
import type { SetName } from '../../../src/shipped-set.js';
import type { PinningTimes } from '../../../src/sync/pinning/pinner.js';
import { cleanup } from '../../support/cleanup.js';
import type { LogLine, NodeOptions, NodeProcess } from '../../support/node/node-process.js';
import { getJson } from '../../support/node/node-reader.js';
import { tempDir } from '../../support/temp-dir.js';

export interface InProcessOptions extends Pick<NodeOptions, 'config' | 'env'> {
  /** As the options `--demo` and `--starter`: the sets of components that it lists. */
  readonly shipped?: readonly SetName[];
  /** What the node gets instead of what it has in production, but for its log. It looks at no modules unless this says when. */
  readonly given?: Partial<Given>;
  /** Does it parse in threads, as in production? In the thread of the tests when absent, which costs less. */
  readonly threads?: boolean;
}

/**
 * In production, modules are looked at half a minute after the start, and those at addresses of this machine count as dead
 * from then on: a test on a slow machine would see another order of components than one on a fast machine.
 */
const NO_PINNING: PinningTimes = { round: Number.MAX_SAFE_INTEGER, pause: 0, check: Number.MAX_SAFE_INTEGER };

type Shared = 'url' | 'dataDir' | 'log' | 'start' | 'stop' | 'restart' | 'getJson';

/**
 * A node in the process of the test, for tests of what a node says and does. It takes a tenth of the processor time of a
 * `NodeProcess`, which is for tests of the program: its signals, kills, exit codes and threads.
 */
export class InProcessNode implements Pick<NodeProcess, Shared> {
  /** Lines of every run so far. */
  readonly log: LogLine[] = [];
  readonly #dir: string;
  #options: InProcessOptions;
  #node: Node | undefined;
  #url = '';

  constructor(dir: string, options: InProcessOptions) {
    this.#dir = dir;
    this.#options = options;
  }

  /** Its `baseUrl`, which is where it listens in this run unless the configuration says otherwise; no trailing slash. */
  get url(): string {
    return this.#url;
  }

  /** Where it listens in this run, where its `baseUrl` has the port. */
  get port(): number {
    return Number(new URL(this.#url).port);
  }

  /** Where its data is. */
  get dataDir(): string {
    return join(this.#dir, 'data');
  }

  /** Resolves when it answers. */
  start(): Promise<void> {
    return this.restart();
  }

  async #start(): Promise<void> {
    const { config: chosen, env = {}, shipped = [], given, threads = false } = this.#options;
    const complete = {
      listen: { port: 0 },
      dataDir: this.dataDir,
      connection: { enabled: false },
      ...chosen,
    };
    const config = parseConfig(complete, { directory: this.#dir, env });
    const write = (line: string) => this.log.push(JSON.parse(line) as LogLine);
    const log = createLog({ level: config.log.level, destination: { write } });
    const pool = threads ? {} : { pool: () => inProcess(systemPace) };
    this.#node = createNode(config, { log, ...pool, pinningTimes: NO_PINNING, ...given }, { shipped });
    const { url } = await this.#node.start();
    this.#url = url.replace(/\/$/, '');
  }

  async stop(): Promise<void> {
    await this.#node?.stop();
    this.#node = undefined;
  }

  /** Starts it again on the same data, after `stop`; with other options if they are given. */
  async restart(options: InProcessOptions = this.#options): Promise<void> {
    this.#options = options;
    await this.#start();
  }

  getJson<T>(path: string): Promise<T> {
    return getJson(this.#url + path);
  }
}

/** Starts a node that ends with its test. */
export async function startInProcess(options: InProcessOptions = {}): Promise<InProcessNode> {
  const node = new InProcessNode(await tempDir(), options);
  cleanup(() => node.stop());
  await node.start();
  return node;
}
