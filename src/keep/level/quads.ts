import type { NamedNode, Quad } from '@rdfjs/types';
import { DataFactory } from 'n3';
import { Quadstore } from 'quadstore';
import type { Breather } from '../../lib/pace.js';
import { KeepDamaged } from '../faults.js';
import type { Changes } from './gathered-batch.js';
import { type Level, readFault } from './level-files.js';

/** Quads that are put into a batch between two chances for other work, and quads that are read at a time. */
const SLICE = { written: 100, read: 500 };

const EVENTS = ['readable', 'end'] as const;
type Backend = ConstructorParameters<typeof Quadstore>[0]['backend'];

/**
 * @param parts as much of a backend as quadstore needs to write, or to read. One index is enough for who reads whole graphs; each
 * further one would make writing slower by half.
 */
function quadstoreOn(parts: object): Quadstore {
  const backend = { status: 'open', open: async () => undefined, batch: () => undefined, ...parts };
  return new Quadstore({
    backend: backend as unknown as Backend,
    dataFactory: DataFactory as unknown as ConstructorParameters<typeof Quadstore>[0]['dataFactory'],
    indexes: [['graph', 'subject', 'predicate', 'object']],
  });
}

/** Adds changes of quads, removals before additions, giving way to other work. */
export async function addQuads(
  changes: Changes,
  { remove, put }: { readonly remove: Iterable<Quad>; readonly put: Iterable<Quad> },
  breathe: Breather,
): Promise<void> {
  // quadstore makes one batch for each slice, and ends it with `write`: what it puts there is added to the same changes.
  const batch = {
    put: (key: string) => added(key, ''),
    del: (key: string) => added(key, undefined),
    write: async () => undefined,
  };
  const added = (key: string, value: string | undefined) => {
    changes.change(key, value);
    return batch;
  };
  const store = quadstoreOn({ batch: () => batch });
  for (const quads of slicesOf(remove)) {
    await store.multiDel(quads);
    await breathe();
  }
  for (const quads of slicesOf(put)) {
    await store.multiPut(quads);
    await breathe();
  }
}

function* slicesOf(quads: Iterable<Quad>): Generator<Quad[]> {
  let slice: Quad[] = [];
  for (const quad of quads) {
    slice.push(quad);
    if (slice.length < SLICE.written) continue;
    yield slice;
    slice = [];
  }
  if (slice.length > 0) yield slice;
}

/** The quads of these graphs, of one state of the database, in batches. @throws KeepDamaged */
export async function* readQuads(
  level: Level,
  graphs: readonly NamedNode[],
): AsyncGenerator<readonly Quad[]> {
  const snapshot = level.snapshot();
  // quadstore leaves iterators open, and ends a stream that fails as if nothing more were there.
  const iterators: { close(): Promise<void> }[] = [];
  let failure: unknown;
  const store = quadstoreOn({
    iterator(range: object) {
      const options = { ...range, snapshot, fillCache: false, highWaterMarkBytes: 100_000 };
      const iterator = level.iterator(options as object);
      iterators.push(iterator);
      const nextv = (size: number) =>
        iterator.nextv(size).catch((error) => {
          failure = error;
          throw error;
        });
      return { nextv };
    },
  });
  try {
    for (const graph of graphs) {
      // Patterns of quadstore ignore the type of a term: a blank node of the same characters is another graph.
      for await (const quads of streamed(store, { graph }))
        yield quads.filter((quad) => graph.equals(quad.graph));
      if (failure !== undefined) throw failure;
    }
  } catch (cause) {
    if (String((cause as { code?: string }).code).startsWith('LEVEL_')) throw readFault(level, cause);
    throw new KeepDamaged(level.location, 'a quad cannot be read', { cause });
  } finally {
    for (const iterator of iterators) await iterator.close();
    await snapshot.close();
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
    batch: () => batch,
    iterator: () => ({ nextv: async () => entries.splice(0) }),
  });
  try {
    for await (const quads of streamed(store, {})) {
      await store.multiPut(quads);
      return written === key ? quads[0] : undefined;
    }
  } catch {
    // Whatever quadstore says of it, it is no quad.
  }
  return undefined;
}

/** The iterator's own `Symbol.asyncIterator` would let an error of a read end the process. */
async function* streamed(store: Quadstore, pattern: { readonly graph?: NamedNode }): AsyncGenerator<Quad[]> {
  const { iterator } = await store.getStream(pattern);
  try {
    while (!iterator.done) {
      const quads: Quad[] = [];
      for (let quad = iterator.read(); quad !== null; quad = iterator.read()) {
        quads.push(quad as Quad);
        if (quads.length === SLICE.read) break;
      }
      if (quads.length > 0) yield quads;
      else if (!iterator.done) await moved(iterator);
    }
  } finally {
    iterator.destroy();
  }
}

/** Resolves when there is something to read, or the end is reached. */
function moved(
  iterator: Record<'on' | 'removeListener', (event: string, listener: () => void) => unknown>,
): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      for (const event of EVENTS) iterator.removeListener(event, wake);
      resolve();
    };
    for (const event of EVENTS) iterator.on(event, wake);
  });
}
