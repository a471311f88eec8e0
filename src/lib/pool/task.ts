/** Who waits for a task. Lanes take turns, so that no lane can keep the workers from the others. */
export type Lane = 'configured' | 'learned' | 'refresh' | 'post' | 'lint';

/**
 * Work on what a stranger wrote, which may take long or much memory and can therefore be done in a worker thread.
 * Input and pieces are plain data (whatever `structuredClone` copies).
 */
export interface Task<Input, Piece> {
  /** URL of the module that exports the task, and the name of the export: how a worker finds it. */
  readonly module: string;
  readonly name: string;
  /** Hands over its result piece by piece; each piece should take the receiver less than a millisecond to copy. */
  readonly run: (input: Input) => AsyncIterable<Piece> | Iterable<Piece>;
}

export interface TaskOptions {
  readonly lane: Lane;
  /** Characters or bytes of the document: its deadline grows with them. */
  readonly size: number;
  /** Aborted when nobody waits for the result any more. */
  readonly signal?: AbortSignal | undefined;
}

/** Where tasks run. */
export interface TaskPool {
  /**
   * Runs a task and yields its pieces in order; the task goes on only when a piece has been taken. Leaving the
   * loop early ends the task.
   * @throws MalformedInput for what the task finds wrong, and for documents that cost too much time or memory;
   * PoolBusy when too many wait already; the signal's reason when it is aborted
   */
  run<Input, Piece>(
    task: Task<Input, Piece>,
    input: Input,
    options: TaskOptions,
  ): AsyncGenerator<Piece, void, undefined>;
}

/** A pool that somebody owns. `close` ends what is running. */
export type ClosablePool = TaskPool & { close(): Promise<void> };

/** What a call site needs to have something parsed. */
export interface Parsing {
  readonly pool: TaskPool;
  readonly lane: Lane;
  readonly signal?: AbortSignal | undefined;
}

/** Too many tasks wait already; trying again later helps. */
export class PoolBusy extends Error {
  override readonly name = 'PoolBusy';

  constructor() {
    super('this node has too many documents to read just now; try again in a moment');
  }
}

/** Runs tasks where they are asked for: for tests, simulations and the command line, not for what strangers send. */
export const inProcess: ClosablePool = {
  async close() {
    // Nothing runs beside its caller.
  },
  async *run(task, input, { signal }) {
    signal?.throwIfAborted();
    for await (const piece of task.run(input)) {
      yield piece;
      signal?.throwIfAborted();
    }
  },
};
