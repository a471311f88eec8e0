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
import { heldPort } from '../../support/held-port.js';
import { configOf, envOf, type NodeOptions, OPERATOR_TOKEN } from '../../support/node/node-options.js';
import type { LogLine, NodeProcess } from '../../support/node/node-process.js';
import { getJson, listedUris, type StatusOfSource, statusOf, sync } from '../../support/node/node-reader.js';
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
  #node: Node | undefined;
  #url: string | undefined;

  constructor(
    dir: string,
    /** Where it listens, in every run. */
    readonly port: number,
    protected options: InProcessOptions,
  ) {
    this.#dir = dir;
  }

  /** Its `baseUrl`, without a trailing slash. */
  get url(): string {
    return this.#url ?? `http://localhost:${this.port}`;
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
    const { shipped = [], given, threads = false, config: settings = {} } = this.options;
    const listen = { port: this.port, ...(settings.listen as object) };
    const complete = configOf(this.dataDir, { config: { ...settings, listen } });
    const config = parseConfig(complete, { directory: this.#dir, env: envOf(this.options) });
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
  async restart(options: InProcessOptions = this.options): Promise<void> {
    this.options = options;
    await this.#start();
  }

  getJson<T>(path: string): Promise<T> {
    return getJson(this.url + path);
  }
}

/** Starts a node that ends with its test. */
export async function startInProcess(options: InProcessOptions = {}): Promise<InProcessNode> {
  const node = await preparedNode(InProcessNode, options);
  await node.start();
  return node;
}

/** A node of a network: it reads addresses of this machine, and the operator writes to it. */
export class NetworkNode extends InProcessNode {
  override async start(settings: NonNullable<NodeOptions['config']> = {}): Promise<void> {
    const write = settings.mode === 'mirror' ? {} : { write: 'operator' };
    const sync = { streams: 0, ...(settings.sync as object) };
    const config = { network: { allowPrivate: true }, ...settings, ...write, sync };
    await this.restart({ ...this.options, config });
  }

  /** Polls all sources, or one; resolves when all that they said has been taken into account. */
  sync(source?: string): Promise<void> {
    return sync(this, source === undefined ? '' : `?source=${encodeURIComponent(source)}`);
  }

  async publish(
    ...components: readonly { readonly uri: string; readonly [field: string]: unknown }[]
  ): Promise<void> {
    const body = JSON.stringify(components.map((component) => ({ label: component.uri, ...component })));
    await this.#ask('/component', { method: 'POST', body, headers: { 'content-type': 'application/json' } });
  }

  async unpublish(uri: string): Promise<void> {
    await this.#ask(`/c/${encodeURIComponent(uri)}`, { method: 'DELETE' });
  }

  /** The uris that are served, in order. */
  uris = () => listedUris(this);
  peers = () => this.getJson<string[]>('/peers');
  storage = () => this.getJson<string[]>('/storage');
  source = (url: string) => statusOf(this, url);
  sources = async () => (await this.getJson<{ sources: StatusOfSource[] }>('/status')).sources;

  /** Everything that would differ if anything had changed: the entity tags of what others read. */
  async revision(): Promise<(string | null)[]> {
    const tags = ['/component', '/peers', '/storage'].map(async (path) => {
      const { headers } = await fetch(this.url + path, {
        method: 'HEAD',
        headers: { accept: 'text/turtle' },
      });
      return headers.get('etag');
    });
    return Promise.all(tags);
  }

  text(path: string, accept: string): Promise<string> {
    return this.#ask(path, { headers: { accept } });
  }

  async #ask(path: string, { headers, ...init }: RequestInit): Promise<string> {
    const authorization = `Bearer ${OPERATOR_TOKEN}`;
    const response = await fetch(this.url + path, { ...init, headers: { authorization, ...headers } });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} of ${this.url} answered ${response.status}: ${text}`);
    return text;
  }
}

/** Nodes that are not running yet; their addresses are theirs already, so that each can be told of the others. */
export function networkNodes(count: number, given: Partial<Given> = {}): Promise<NetworkNode[]> {
  return Promise.all(Array.from({ length: count }, () => preparedNode(NetworkNode, { given })));
}

/** A node that does not run yet, and ends with its test. */
async function preparedNode<N extends InProcessNode>(
  kind: new (dir: string, port: number, options: InProcessOptions) => N,
  options: InProcessOptions,
): Promise<N> {
  const node = new kind(await tempDir(), await heldPort(), options);
  cleanup(() => node.stop());
  return node;
}
