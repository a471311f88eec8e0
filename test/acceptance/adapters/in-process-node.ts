import { join } from 'node:path';
import { parseConfig } from '../../../src/config.js';
import { createLog } from '../../../src/lib/log.js';
import { systemPace } from '../../../src/lib/pace.js';
import { inProcess } from '../../../src/lib/pool/task.js';
import { createNode, type Node } from '../../../src/node.js';
import { cleanup } from '../../support/cleanup.js';
import type { LogLine, NodeOptions, NodeProcess } from '../../support/node/node-process.js';
import { getJson } from '../../support/node/node-reader.js';
import { tempDir } from '../../support/temp-dir.js';

interface InProcessOptions extends Pick<NodeOptions, 'config' | 'env'> {
  /** As `--demo` does: with samples. */
  readonly demo?: boolean;
}

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

  /** Where it listens in this run, without a trailing slash. */
  get url(): string {
    return this.#url;
  }

  /** Where its data is. */
  get dataDir(): string {
    return join(this.#dir, 'data');
  }

  /** Resolves when it answers. */
  async start(): Promise<void> {
    const { config: given, env = {}, demo = false } = this.#options;
    const complete = {
      listen: { port: 0 },
      dataDir: this.dataDir,
      connection: { enabled: false },
      ...given,
    };
    const config = parseConfig(complete, { directory: this.#dir, env });
    const write = (line: string) => this.log.push(JSON.parse(line) as LogLine);
    const log = createLog({ level: config.log.level, destination: { write } });
    this.#node = createNode(config, { log, pool: () => inProcess(systemPace) }, { demo });
    const { url } = await this.#node.start();
    this.#url = url.replace(/\/$/, '');
  }

  async stop(): Promise<void> {
    await this.#node?.stop();
  }

  /** Starts it again on the same data, after `stop`; with other options if they are given. */
  async restart(options: InProcessOptions = this.#options): Promise<void> {
    this.#options = options;
    await this.start();
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
