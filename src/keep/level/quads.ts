import type { NamedNode, Quad } from '@rdfjs/types';
import type { AbstractSnapshot } from 'abstract-level';
import { DataFactory } from 'n3';
import { Quadstore } from 'quadstore';
import type { Breather } from '../../lib/pace.js';
import { KeepDamaged } from '../faults.js';
import type { GatheredBatch } from './gathered-batch.js';
import { type Level, readFault } from './level-files.js';

/** Quads that are put into a batch between two chances for other work, and quads that are read at a time. */
const SLICE = { written: 100, read: 500 };

const EVENTS = ['readable', 'end'] as const;
type Emitter = Record<'on' | 'removeListener', (event: string, listener: () => void) => unknown>;
type Backend = ConstructorParameters<typeof Quadstore>[0]['backend'];

/** One index is enough for who reads whole graphs; each further one would make writing slower by half. */
function quadstoreOn(backend: object): Quadstore {
  return new Quadstore({
    backend: backend as Backend,
    dataFactory: DataFactory as unknown as ConstructorParameters<typeof Quadstore>[0]['dataFactory'],
    indexes: [['graph', 'subject', 'predicate', 'object']],
  });
}

/** Adds changes of quads to a batch, removals before additions, giving way to other work. */
export async function addQuads(
  batch: GatheredBatch,
  { remove, put }: { readonly remove: readonly Quad[]; readonly put: readonly Quad[] },
  breathe: Breather,
): Promise<void> {
  const store = quadstoreOn(batch.asBackend());
  for (let at = 0; at < remove.length; at += SLICE.written) {
    await store.multiPatch(remove.slice(at, at + SLICE.written), []);
    await breathe();
  }
  for (let at = 0; at < put.length; at += SLICE.written) {
    await store.multiPatch([], put.slice(at, at + SLICE.written));
    await breathe();
  }
}

/** The quads of these graphs, of one state of the database, in batches. @throws KeepDamaged */
export async function* readQuads(
  level: Level,
  graphs: readonly NamedNode[],
): AsyncGenerator<readonly Quad[]> {
  const snapshot = level.snapshot();
  const backend = new ReadingBackend(level, snapshot);
  try {
    for (const graph of graphs) {
      for await (const quads of streamed(quadstoreOn(backend), graph)) yield quads;
      // quadstore ends a stream that fails as if nothing more were there.
      if (backend.failure !== undefined) throw backend.failure;
    }
  } catch (error) {
    throw readFault(level, error);
  } finally {
    await backend.close();
    await snapshot.close();
  }

  async function* streamed(store: Quadstore, graph: NamedNode): AsyncGenerator<readonly Quad[]> {
    const { iterator } = await store.getStream({ graph });
    try {
      while (!iterator.done) {
        const quads = readAtOnce(iterator);
        // Patterns of quadstore ignore the type of a term: a blank node of the same characters is another graph.
        if (quads.length > 0) yield quads.filter((quad) => graph.equals(quad.graph));
        else if (!iterator.done) await moved(iterator);
      }
    } finally {
      iterator.destroy();
    }
  }

  function readAtOnce(iterator: { read(): unknown }): Quad[] {
    try {
      const quads: Quad[] = [];
      while (quads.length < SLICE.read) {
        const quad = iterator.read() as Quad | null;
        if (quad === null) break;
        quads.push(quad);
      }
      return quads;
    } catch (cause) {
      throw new KeepDamaged(level.location, 'a quad cannot be read', { cause });
    }
  }
}

/** The quad under a key; `undefined` for what is none: it cannot be read, or a quad that reads so has another key. */
export async function quadUnder(key: string): Promise<Quad | undefined> {
  const entries = [[key, '']];
  let written: string | undefined;
  const batch = {
    put(name: string) {
      written = name;
      return batch;
    },
    write: async () => undefined,
  };
  const store = quadstoreOn({
    ...{ status: 'open', open: async () => undefined, batch: () => batch },
    iterator: () => ({ nextv: async () => entries.splice(0) }),
  });
  const { iterator } = await store.getStream({});
  try {
    while (!iterator.done) {
      const quad = iterator.read() as Quad | null;
      if (!quad) await moved(iterator);
      else {
        await store.multiPut([quad]);
        return written === key ? quad : undefined;
      }
    }
  } catch {
    // Whatever quadstore says of it, it is no quad.
  } finally {
    iterator.destroy();
  }
  return undefined;
}

/** Resolves when there is something to read, or the end is reached. */
function moved(iterator: Emitter): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      for (const event of EVENTS) iterator.removeListener(event, wake);
      resolve();
    };
    for (const event of EVENTS) iterator.on(event, wake);
  });
}

/** As much of a backend as quadstore needs to read. It reads one state, closes the iterators that quadstore leaves open, and keeps their errors. */
class ReadingBackend {
  failure: unknown;
  readonly #level: Level;
  readonly #snapshot: AbstractSnapshot;
  readonly #closing = new Set<() => Promise<void>>();

  constructor(level: Level, snapshot: AbstractSnapshot) {
    this.#level = level;
    this.#snapshot = snapshot;
  }

  get status(): string {
    return this.#level.status;
  }

  open(): Promise<void> {
    return this.#level.open();
  }

  batch(): never {
    throw new Error('This backend is for reading');
  }

  iterator(range: object): { nextv(size: number): Promise<unknown[]> } {
    const options = { ...range, snapshot: this.#snapshot, fillCache: false, highWaterMarkBytes: 100_000 };
    const iterator = this.#level.iterator(options as object);
    const close = () => iterator.close();
    this.#closing.add(close);
    return {
      nextv: async (size) => {
        try {
          return await iterator.nextv(size);
        } catch (error) {
          this.failure = error;
          throw error;
        }
      },
    };
  }

  async close(): Promise<void> {
    await Promise.all([...this.#closing].map((close) => close()));
  }
}
