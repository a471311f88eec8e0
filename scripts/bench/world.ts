import { fork } from 'node:child_process';
import { once } from 'node:events';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cleanup } from '../../test/support/cleanup.js';
import { NodeProcess } from '../../test/support/node/node-process.js';
import { publish } from '../../test/support/node/node-reader.js';
import { PostgresServer } from '../../test/support/postgres-server.js';
import { tempDir } from '../../test/support/temp-dir.js';
import { sampleComponents } from './sample-data.js';
import type { PodOrder } from './servers.js';

export interface Size {
  readonly components: number;
  /** Components of the source that is replaced. */
  readonly source: number;
  readonly rounds: number;
  /** Of one round of load, in ms. */
  readonly roundMs: number;
}

/** Where a node has its data: in a directory, or in a database. */
interface Data {
  readonly directory: string;
  readonly database?: string;
}

/** Components that are posted at once for a seed. */
const SEEDED = 2000;
/** As operators run it: what is acknowledged is on the disk. */
const POSTGRES = { shared_buffers: '512MB', max_wal_size: '4GB', max_connections: 100 };
/** As operators run nodes; but sources are polled when the benchmark says so, and not because of hints. */
const CONFIG = {
  baseUrl: 'http://127.0.0.1:<port>',
  connection: { enabled: true },
  write: 'operator',
  sync: { maxBytes: 2_000_000_000, timeoutSeconds: 3600, streams: 0 },
};

/** What rows share: data, floors, nodes. Everything is made when it is first asked for, and gone with `runCleanup`. */
export class World {
  readonly #once = new Map<string, Promise<unknown>>();
  #databases = 0;

  constructor(
    readonly size: Size,
    readonly engine: 'disk' | 'postgres',
    readonly say: (text: string) => void,
  ) {}

  /** A figure of each round, one after the other. */
  async rounds(measure: (round: number) => Promise<number>): Promise<number[]> {
    const figures: number[] = [];
    for (let round = 0; round < this.size.rounds; round++) figures.push(await measure(round));
    return figures;
  }

  /** The address of the servers that nodes are measured against; `components.ttl` there is the pod, which an order changes. */
  async serversUrl(order?: PodOrder): Promise<string> {
    const url = await this.once('the servers', startServers);
    if (order) await (await fetch(url, { method: 'POST', body: JSON.stringify(order) })).text();
    return url;
  }

  /** What has been made under this name, or is made now. */
  once<T>(name: string, make: () => Promise<T>): Promise<T> {
    const made = (this.#once.get(name) as Promise<T> | undefined) ?? make();
    this.#once.set(name, made);
    return made;
  }

  /** Data with so many components of the node itself; what is written there stays. */
  seed(components: number): Promise<Data> {
    return this.once(`${components} components`, () => this.#writeSeed(components));
  }

  /** A node on a copy of such data. */
  async node(components: number, config: object = {}): Promise<NodeProcess> {
    const seed = components === 0 ? undefined : await this.seed(components);
    return this.start(await this.#place(seed), config);
  }

  /** Starts a node, and waits until it has answered a request for components. */
  async start({ directory, database }: Data, config: object = {}): Promise<NodeProcess> {
    const env = database === undefined ? {} : await this.#environment(database);
    const node = new NodeProcess(directory, { config: { ...CONFIG, ...config }, env });
    cleanup(() => node.kill());
    // Asking all the time would slow a start down: a node writes a line when it has loaded, and then it must answer.
    await node.start();
    await node.getJson('/component?limit=1');
    return node;
  }

  /** The node with all components that the rows about reading share. */
  sharedNode(): Promise<NodeProcess> {
    return this.once('the shared node', () => this.node(this.size.components));
  }

  /** An empty place, or one with a copy of what is in another. */
  async #place(seed?: Data): Promise<Data> {
    const directory = await tempDir();
    if (this.engine === 'disk') {
      if (seed) await cp(join(seed.directory, 'data'), join(directory, 'data'), { recursive: true });
      return { directory };
    }
    this.#databases += 1;
    const database = `bench_${this.#databases}`;
    const template = seed ? ` TEMPLATE ${seed.database}` : '';
    await (await this.#postgres()).query(`CREATE DATABASE ${database}${template}`);
    return { directory, database };
  }

  async #environment(database: string) {
    return { REGISTRY_STORE_ENGINE: 'postgres', REGISTRY_STORE_URL: (await this.#postgres()).url(database) };
  }

  #postgres(): Promise<PostgresServer> {
    return this.once('the database server', async () => {
      const server = await PostgresServer.start(POSTGRES);
      cleanup(() => server.remove());
      return server;
    });
  }

  async #writeSeed(components: number): Promise<Data> {
    const data = await this.#place();
    const node = await this.start(data, { limits: { batch: SEEDED, bodyBytes: 10_000_000 } });
    for (let from = 0; from < components; from += SEEDED) {
      const to = Math.min(from + SEEDED, components);
      await publish(node, ...sampleComponents(from, to));
      this.say(`writing ${to} of ${components} components`);
    }
    await node.stop();
    return data;
  }
}

async function startServers(): Promise<string> {
  const child = fork(fileURLToPath(new URL('servers.ts', import.meta.url)));
  cleanup(() => child.kill());
  const [port] = await once(child, 'message');
  return `http://127.0.0.1:${port}`;
}
