import { LRUCache } from 'lru-cache';
import { withoutPause } from '../../src/lib/pace.js';
import { type ClosablePool, decoded, inProcess } from '../../src/lib/pool/task.js';

/** Characters of texts that are remembered with what was read in them. */
const REMEMBERED = 50_000_000;

/**
 * Parses a text once that many nodes read: in a network of n nodes, n of them read each list of addresses, which has n entries.
 * It belongs to one run, so that a run does not depend on those before it.
 */
export function parsesOnce(): ClosablePool {
  const pool = inProcess(withoutPause);
  const sizes = { maxSize: REMEMBERED, sizeCalculation: (_: unknown, key: string) => key.length };
  const known = new LRUCache<string, readonly object[]>(sizes);
  return {
    ...pool,
    async *run<Input, Piece>(...[task, input, options]: Parameters<typeof pool.run<Input, Piece>>) {
      const key = JSON.stringify([task.module, task.name, decoded(input)]);
      let pieces = known.get(key) as readonly Piece[] | undefined;
      if (!pieces) {
        const read: Piece[] = [];
        // Whoever would change what others read, too, fails.
        for await (const piece of pool.run(task, input, options)) read.push(frozen(piece));
        pieces = read;
        known.set(key, read as readonly object[]);
      }
      options.signal?.throwIfAborted();
      yield* pieces;
    },
  };
}

function frozen<T>(value: T): T {
  for (const inner of Object.values(Object(value))) Object.freeze(inner);
  return Object.freeze(value);
}
