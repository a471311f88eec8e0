import { join } from 'node:path';
import { parseConfig } from '../../../src/config.js';
import { createLog } from '../../../src/lib/log.js';
import { inProcess } from '../../../src/lib/pool/task.js';
import type { Given } from '../../../src/node/given.js';
import { createNode, type Node } from '../../../src/node.js';
import type { SetName } from '../../../src/shipped-set.js';
import type { PinningTimes } from '../../../src/sync/pinning/pinner.js';
import { cleanup } from '../../support/cleanup.js';
import { heldPort } from '../../support/held-port.js';
import { configOf, envOf, type NodeOptions } from '../../support/node/node-options.js';
import type { LogLine } from '../../support/node/node-process.js';
import { type AnyNode, getJson } from '../../support/node/node-reader.js';
import { tempDir } from '../../support/temp-dir.js';

export interface InProcessOptions extends NodeOptions {
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

/** Configuration of a node of a network: it reads addresses of this machine, opens no lines, and the operator writes to it. */
export const NETWORKED = { network: { allowPrivate: true }, write: 'operator', sync: { streams: 0 } };

/**
 * A node in the process of the test, for tests of what a node says and does. It takes a tenth of the processor time of a
 * `NodeProcess`, which is for tests of the program: its signals, kills, exit codes and threads.
 */
export class InProcessNode implements AnyNode {
  /** Lines of every run so far. */
  readonly log: LogLine[] = [];
  #node: Node | undefined;
  #url: string | undefined;

  constructor(
    private readonly dir: string,
    /** Where it listens, in every run. */
    readonly port: number,
    private options: InProcessOptions,
  ) {}

  /** Its `baseUrl`, without a trailing slash. */
  get url(): string {
    return this.#url ?? `http://localhost:${this.port}`;
  }

  /** Where its data is. */
  get dataDir(): string {
    return join(this.dir, 'data');
  }

  /** Starts it on its data, with other options than before if they are given. Resolves when it answers. */
  async start(options: InProcessOptions = this.options): Promise<void> {
    this.options = options;
    const { shipped = [], given, threads = false, config: settings = {} } = options;
    const listen = { port: this.port, ...(settings.listen as object) };
    const complete = configOf(this.dataDir, { config: { ...settings, listen } });
    const config = parseConfig(complete, { directory: this.dir, env: envOf(options) });
    const write = (line: string) => this.log.push(JSON.parse(line) as LogLine);
    const log = createLog({ level: config.log.level, destination: { write } });
    const pool = threads ? {} : { pool: () => inProcess };
    this.#node = createNode(config, { log, ...pool, pinningTimes: NO_PINNING, ...given }, { shipped });
    const { url } = await this.#node.start();
    this.#url = url.replace(/\/$/, '');
  }

  async stop(): Promise<void> {
    await this.#node?.stop();
    this.#node = undefined;
  }

  getJson<T>(path: string): Promise<T> {
    return getJson(this.url + path);
  }
}

/** Starts a node that ends with its test. */
export async function startInProcess(options: InProcessOptions = {}): Promise<InProcessNode> {
  const node = await prepareInProcess(options);
  await node.start();
  return node;
}

/** A node that does not run yet, and ends with its test. Its address is its own already, so that others can be told of it. */
export async function prepareInProcess(options: InProcessOptions = {}): Promise<InProcessNode> {
  const node = new InProcessNode(await tempDir(), await heldPort(), options);
  cleanup(() => node.stop());
  return node;
}
