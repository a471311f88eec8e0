import { once } from 'node:events';
import type { NamedNode, Quad } from '@rdfjs/types';
import { DataFactory } from 'n3';
import { Quadstore } from 'quadstore';
import type { Breather } from '../../lib/pace.js';
import { portions } from '../../lib/portions.js';
import { refuseQuad } from '../checked-writes.js';
import { KeepDamaged } from '../faults.js';
import type { Level } from './level-files.js';
import type { Change } from './level-writer.js';

/** Quads that are put into a batch between two chances for other work. */
const WRITTEN = { items: 100, length: 100 };
/** Quads that are read at a time. */
const READ = 500;

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
  change: Change,
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
    change(key, value);
    return batch;
  };
  const store = quadstoreOn({ batch: () => batch });
  for (const [how, quads] of [['multiDel', remove] as const, ['multiPut', put] as const]) {
    for (const slice of portions(quads, () => 1, WRITTEN)) {
      slice.forEach(refuseQuad);
      await store[how](slice);
      await breathe();
    }
  }
}

/** The quads of these graphs, of one state of the database, in batches. @throws KeepDamaged */
export async function* readQuads(
  level: Level,
  graphs: readonly NamedNode[],
): AsyncGenerator<readonly Quad[]> {
  const snapshot = level.snapshot();
  try {
    for (const graph of graphs) {
      const range = { ...(await rangeOf(graph)), snapshot, fillCache: false, highWaterMarkBytes: 100_000 };
      const iterator = level.keys(range as object);
      try {
        for (let keys = await iterator.nextv(READ); keys.length > 0; ) {
          // Patterns of quadstore ignore the type of a term: a blank node of the same characters is another graph.
          yield (await quadsUnder(keys)).filter((quad) => graph.equals(quad.graph));
          keys = await iterator.nextv(READ);
        }
      } finally {
        await iterator.close();
      }
    }
  } catch (cause) {
    if (String((cause as { code?: string }).code).startsWith('LEVEL_')) throw cause;
    throw new KeepDamaged(level.location, 'a quad cannot be read', { cause });
  } finally {
    await snapshot.close();
  }
}

/** The quad under a key. Undefined when the key cannot be read, or does not read back to itself. */
export async function quadUnder(key: string): Promise<Quad | undefined> {
  try {
    const put = await quadsUnder([key]);
    const written: string[] = [];
    await addQuads(
      (name) => written.push(name),
      { remove: [], put },
      () => undefined,
    );
    return written[0] === key ? put[0] : undefined;
  } catch {
    // Whatever quadstore says of it, it is no quad.
    return undefined;
  }
}

/** Where the keys of a graph lie. */
async function rangeOf(graph: NamedNode): Promise<object> {
  let range = {};
  const iterator = (asked: object) => {
    range = asked;
    return { nextv: async () => [] };
  };
  await quadstoreOn({ iterator }).getStream({ graph });
  return range;
}

/**
 * The quads under keys, one at least. quadstore is given what was read: where it reads by itself, it leaves iterators open, and
 * ends as if nothing more were there when it fails. @throws what it says of a key that is none
 */
async function quadsUnder(keys: readonly string[]): Promise<Quad[]> {
  const portions = [keys.map((key) => [key, ''])];
  const nextv = async () => portions.pop() ?? [];
  const { iterator } = await quadstoreOn({ iterator: () => ({ nextv }) }).getStream({});
  if (!iterator.readable) await once(iterator, 'readable');
  return keys.map(() => iterator.read() as Quad);
}
