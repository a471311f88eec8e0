import { PostgresServer } from '../../test/support/postgres-server.js';
import type { WriteOrder } from './engine-writer.js';
import type { NodeProcess, Worker } from './processes.js';
import type { World } from './world.js';

/** As operators run it: what is acknowledged is on the disk. The rest are the defaults of PostgreSQL, but for its memory. */
const SETTINGS = { shared_buffers: '512MB', max_wal_size: '4GB', max_connections: 100 };
/** Components in one commit of the seed. */
const SEEDED = 50_000;

/** A PostgreSQL server of the benchmark's own, and nodes on it. Made when a row first asks for it. */
export class Database {
  readonly #world: World;
  readonly #server: Promise<PostgresServer>;
  #seeded: Promise<string> | undefined;
  #nodes: Promise<readonly [NodeProcess, NodeProcess]> | undefined;

  private constructor(world: World) {
    this.#world = world;
    this.#server = PostgresServer.start(SETTINGS);
    world.atEnd(async () => (await this.#server).remove());
  }

  static readonly #made = new WeakMap<World, Database>();

  static of(world: World): Database {
    const database = Database.#made.get(world) ?? new Database(world);
    Database.#made.set(world, database);
    return database;
  }

  async server(): Promise<PostgresServer> {
    return this.#server;
  }

  async empty(): Promise<string> {
    return (await this.#server).createDatabase();
  }

  writer(url: string): Worker {
    return this.#world.worker('engine-writer.ts', ['postgres', url]);
  }

  /** The address of the database with all components. */
  seeded(): Promise<string> {
    this.#seeded ??= this.#seed();
    return this.#seeded;
  }

  async node(url: string, more: Readonly<Record<string, string>> = {}): Promise<NodeProcess> {
    const config = { write: 'open', store: { engine: 'postgres' } };
    return this.#world.startNode(this.#world.path('node'), config, [], { REGISTRY_STORE_URL: url, ...more });
  }

  /** Two nodes on the database with all components. */
  nodes(): Promise<readonly [NodeProcess, NodeProcess]> {
    this.#nodes ??= this.seeded().then(async (url) => [await this.node(url), await this.node(url)] as const);
    return this.#nodes;
  }

  async #seed(): Promise<string> {
    const url = await this.empty();
    const writer = this.writer(url);
    await this.#write(writer, this.#world.size.components);
    await this.#analysed(url);
    writer.stop();
    return url;
  }

  async #write(writer: Worker, end: number): Promise<void> {
    for (let from = 0; from < end; from += SEEDED) {
      const to = Math.min(from + SEEDED, end);
      await writer.ask<number>({ from, to } satisfies WriteOrder);
      this.#world.say(`writing ${to} of ${end} components`);
    }
  }

  /** As the server does by itself after a while. */
  async #analysed(url: string): Promise<void> {
    await (await this.#server).query('VACUUM ANALYZE', new URL(url).pathname.slice(1));
  }
}

const PAGES = 100;

/** Resident memory of a node that has answered queries and pages, in MB. */
export async function memoryUnderLoad(node: NodeProcess, components: number): Promise<number> {
  let after = '';
  for (let page = 0; page < Math.min(PAGES, components / 1000); page++) {
    const answer = await fetch(`${node.url}/component?limit=1000${after}`);
    await answer.text();
    const next = /after=([^&>]*)/.exec(answer.headers.get('link') ?? '')?.[1];
    after = next === undefined ? '' : `&after=${next}`;
  }
  const readings: number[] = [];
  for (let i = 0; i < 20; i++) {
    await (await fetch(`${node.url}/component?q=profile&limit=${20 + i}`)).text();
    readings.push(node.memory().now);
  }
  return readings.reduce((sum, one) => sum + one, 0) / readings.length;
}
