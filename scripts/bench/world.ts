import { fork } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PostgresServer } from '../../test/support/postgres-server.js';
import { MeasuredNode } from './measured-node.js';
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

/** Where a node has its data: in a directory, or in a database whose address is in its environment. */
interface Data {
  readonly directory: string;
  readonly database?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly config: object;
}

/** Components that are posted at once for a seed. */
const SEEDED = 2000;
/** As operators run it: what is acknowledged is on the disk. */
const POSTGRES = { shared_buffers: '512MB', max_wal_size: '4GB', max_connections: 100 };

/** What rows share: data, floors, nodes. Everything is made when it is first asked for, and gone at the end. */
export class World {
  readonly #servers = fork(fileURLToPath(new URL('servers.ts', import.meta.url)));
  readonly #port = once(this.#servers, 'message');
  readonly #directory = mkdtempSync(join(tmpdir(), 'registry-bench-'));
  readonly #nodes = new Set<MeasuredNode>();
  readonly #once = new Map<string, Promise<unknown>>();
  #postgres: PostgresServer | undefined;
  #made = 0;

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
    const url = `http://127.0.0.1:${(await this.#port)[0]}`;
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
  async node(components: number, config: object = {}): Promise<MeasuredNode> {
    const seed = components === 0 ? undefined : await this.seed(components);
    return this.start(await this.#place(seed), config);
  }

  async start({ directory, env, config }: Data, more: object = {}): Promise<MeasuredNode> {
    const node = await MeasuredNode.start(directory, { ...config, ...more }, env);
    this.#nodes.add(node);
    return node;
  }

  async stop(node: MeasuredNode): Promise<void> {
    this.#nodes.delete(node);
    await node.stop();
  }

  /** The node with all components that the rows about reading share. */
  sharedNode(): Promise<MeasuredNode> {
    return this.once('the shared node', () => this.node(this.size.components));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#nodes].map((node) => node.stop()));
    this.#servers.kill();
    await this.#postgres?.remove();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  /** An empty place, or one with a copy of what is in another. */
  async #place(seed?: Data): Promise<Data> {
    this.#made += 1;
    const directory = join(this.#directory, `${this.#made}`);
    if (this.engine === 'disk') {
      if (seed) cpSync(join(seed.directory, 'data'), join(directory, 'data'), { recursive: true });
      return { directory, env: {}, config: {} };
    }
    this.#postgres = await this.once('the database server', () => PostgresServer.start(POSTGRES));
    const server = this.#postgres;
    const database = `bench_${this.#made}`;
    await server.query(`CREATE DATABASE ${database}${seed ? ` TEMPLATE ${seed.database}` : ''}`);
    const env = { REGISTRY_STORE_URL: server.url(database) };
    return { directory, database, env, config: { store: { engine: 'postgres' } } };
  }

  async #writeSeed(components: number): Promise<Data> {
    const data = await this.#place();
    const node = await this.start(data, { limits: { batch: SEEDED, bodyBytes: 10_000_000 } });
    for (let from = 0; from < components; from += SEEDED) {
      const to = Math.min(from + SEEDED, components);
      await node.post([...sampleComponents(from, to)]);
      this.say(`writing ${to} of ${components} components`);
    }
    await this.stop(node);
    return data;
  }
}
