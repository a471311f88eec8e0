import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openOnDisk } from './open-registry.js';
import type { PodOrder } from './pod-server.js';
import { NodeProcess, Worker } from './processes.js';
import { sampleComponents, shapeIri } from './sample-data.js';

export interface Size {
  readonly components: number;
  /** Components of the source that is replaced. */
  readonly source: number;
  readonly rounds: number;
  /** Of one round of load, in ms. */
  readonly roundMs: number;
  readonly polls: number;
}

/** A pod with one document, in a process of its own. */
export interface Pod {
  readonly url: string;
  /** Has it hold other components from now on; gives the length of the document in bytes. */
  readonly holds: (order: PodOrder) => Promise<number>;
}

/** Everything that rows share: data directories, floors, the client. Made when first asked for. */
export class World {
  readonly size: Size;
  readonly say: (text: string) => void;
  readonly client = new Worker('load-client.ts');
  readonly floor = new Worker('floor-server.ts');
  readonly #directory = mkdtempSync(join(tmpdir(), 'registry-bench-'));
  readonly #workers: Worker[] = [this.client, this.floor];
  readonly #nodes = new Set<NodeProcess>();
  readonly #atEnd: (() => Promise<void>)[] = [];
  readonly #seeded = new Map<number, Promise<string>>();
  #floorPort: Promise<number> | undefined;
  #shared: Promise<NodeProcess> | undefined;
  #pod: Promise<Pod> | undefined;
  #made = 0;

  constructor(size: Size, say: (text: string) => void) {
    this.size = size;
    this.say = say;
  }

  floorPort(): Promise<number> {
    this.#floorPort ??= this.floor.told<{ port: number }>().then(({ port }) => port);
    return this.#floorPort;
  }

  worker(script: string, args: readonly string[] = []): Worker {
    const worker = new Worker(script, args);
    this.#workers.push(worker);
    return worker;
  }

  /** A path that is gone with the benchmark. */
  path(name: string): string {
    this.#made += 1;
    return join(this.#directory, `${this.#made}-${name}`);
  }

  /** The directory of a node with so many components of its own; what it writes there stays. */
  async seeded(components: number): Promise<string> {
    return dirname(await this.#seed(components));
  }

  /** A node on a fresh copy of a store with so many components (none: an empty one). */
  async node(
    components: number,
    config: object = {},
    nodeArgs: readonly string[] = [],
  ): Promise<NodeProcess> {
    const directory = this.path('node');
    if (components > 0) cpSync(await this.#seed(components), join(directory, 'data'), { recursive: true });
    return this.startNode(directory, config, nodeArgs);
  }

  async startNode(
    directory: string,
    config: object = {},
    nodeArgs: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
  ): Promise<NodeProcess> {
    const node = await NodeProcess.start(directory, config, nodeArgs, env);
    this.#nodes.add(node);
    return node;
  }

  async stopNode(node: NodeProcess): Promise<void> {
    this.#nodes.delete(node);
    await node.stop();
  }

  /** The node with all components that the rows about reading share. */
  sharedNode(): Promise<NodeProcess> {
    this.#shared ??= this.node(this.size.components, { write: 'open' });
    return this.#shared;
  }

  /** The pod that rows share, one after another. It is empty at first, whatever it held for the row before. */
  async pod(): Promise<Pod> {
    this.#pod ??= this.#startPod();
    const pod = await this.#pod;
    await pod.holds({ from: 0, to: 0 });
    return pod;
  }

  /** What is done before the files are removed. */
  atEnd(what: () => Promise<void>): void {
    this.#atEnd.push(what);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#nodes].map((node) => node.stop()));
    await Promise.all(this.#atEnd.map((what) => what()));
    for (const worker of this.#workers) worker.stop();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  async #startPod(): Promise<Pod> {
    const worker = this.worker('pod-server.ts');
    const { port } = await worker.told<{ port: number }>();
    return {
      url: `http://127.0.0.1:${port}/components.ttl`,
      holds: (order) => worker.ask<number>(order),
    };
  }

  #seed(components: number): Promise<string> {
    const seeded = this.#seeded.get(components) ?? this.#writeSeed(components);
    this.#seeded.set(components, seeded);
    return seeded;
  }

  /** Writes the node's own components the way a node does. */
  async #writeSeed(components: number): Promise<string> {
    const data = join(this.path(`seed-${components}`), 'data');
    const { registry, close } = await openOnDisk(data);
    for (let from = 0; from < components; from += SEEDED) {
      const to = Math.min(from + SEEDED, components);
      await registry.commitOwn({ put: [...sampleComponents(from, to)] });
      this.say(`writing ${to} of ${components} components`);
    }
    await close();
    return data;
  }
}

/** Components of one source, at most: a document is one string, and no string is longer than half a gigabyte. */
export const LARGEST_SOURCE = 100_000;

/** Components that are written in one go. */
const SEEDED = 2000;

/** Shapes that 30 to 50 of the first so many components render. */
export function rareShapes(components: number): string[] {
  const counts = new Map<string, number>();
  for (const { shapes } of sampleComponents(0, components)) {
    for (const shape of shapes) counts.set(shape, (counts.get(shape) ?? 0) + 1);
  }
  const rare = [...counts].filter(([, count]) => count >= 30 && count <= 50).map(([shape]) => shape);
  return rare.length > 0 ? rare : [shapeIri(0)];
}
