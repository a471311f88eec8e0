import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { withoutPause } from '../../src/lib/pace.js';
import { type ClosablePool, inProcess } from '../../src/lib/pool/task.js';

/** Bytes of the inputs whose results are remembered, at most. What comes of an input is several times as large. */
const MOST_BYTES = 16_000_000;

interface Result {
  readonly pieces: readonly unknown[];
  readonly error?: unknown;
}

/**
 * A pool that all nodes of a simulation share. Tasks are functions of their input, and a hundred nodes parse the same
 * documents: what one of them has parsed is given to the others, frozen, so that none can change what another has.
 */
export function rememberingPool(): ClosablePool {
  const inner = inProcess(withoutPause);
  const results = new LRUCache<string, Result & { readonly bytes: number }>({
    maxSize: MOST_BYTES,
    sizeCalculation: ({ bytes }) => bytes + 1,
  });
  const resultOf = async (
    ...[task, input, { lane, size }]: Parameters<ClosablePool['run']>
  ): Promise<Result> => {
    const pieces: unknown[] = [];
    try {
      for await (const piece of inner.run(task, input, { lane, size })) pieces.push(frozen(piece));
      return { pieces };
    } catch (error) {
      return { pieces, error };
    }
  };
  return {
    async *run(task, input, options) {
      const { signal, size } = options;
      signal?.throwIfAborted();
      const { text, ...rest } = input as { text?: string | Uint8Array };
      const hash = createHash('sha1').update(`${task.module} ${task.name} ${JSON.stringify(rest)}\n`);
      const key = hash.update(text ?? '').digest('base64');
      const known = results.get(key);
      const result = known ?? (await resultOf(task as never, input as never, options));
      if (!known) results.set(key, { ...result, bytes: size });
      for (const piece of result.pieces) {
        signal?.throwIfAborted();
        yield piece as never;
      }
      if (result.error !== undefined) throw result.error;
    },
    // It belongs to the simulation, and not to the node that is stopped.
    close: async () => undefined,
  };
}

/** So deep that nobody who shares it can change anything. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value) || ArrayBuffer.isView(value))
    return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}
