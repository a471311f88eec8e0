import { MalformedInput } from '../faults.js';
import type { Pace } from '../pace.js';

/** What a task is done for. Lanes take turns, so that none of them can occupy all workers. */
export const LANES = ['configured', 'learned', 'refresh', 'post', 'lint'] as const;
export type Lane = (typeof LANES)[number];

/** Work on a document of a stranger, such as parsing. Input and pieces are plain data that `structuredClone` can copy. */
export interface Task<Input, Piece> {
  /**
   * How a worker finds the task: the module that exports it, as its path below the folder of the program (where the build
   * keeps a file for it) or as a URL, and the name of the export.
   */
  readonly module: string;
  readonly name: string;
  /** Documents up to this size take less than 5 ms, and so are worked on where they are. None when absent. */
  readonly short?: number;
  /** Yields the result in pieces, each of which the receiver can copy in less than a millisecond. */
  readonly run: (input: Input) => AsyncIterable<Piece> | Iterable<Piece>;
}

export interface TaskOptions {
  readonly lane: Lane;
  /** Length of the document in characters or bytes: the time limit depends on it. */
  readonly size: number;
  /** Aborted when the result is not needed any more. */
  readonly signal?: AbortSignal | undefined;
}

export interface TaskPool {
  /**
   * Runs a task and yields its pieces in order, each made when it is asked for. Leaving the loop early ends the task.
   * @throws MalformedInput for faults that the task finds, and for documents that take too much memory or, as TaskTimeout,
   * time; PoolBusy when too many tasks are waiting; the signal's reason when it is aborted
   */
  run<Input, Piece>(
    task: Task<Input, Piece>,
    input: Undecoded<Input>,
    options: TaskOptions,
  ): AsyncGenerator<Piece, void, undefined>;
}

/**
 * How tasks end: `failed` by a fault that they found, `killed` for the time or the memory that they took, `dropped`
 * because their result was not needed any more, `refused` because too many were waiting.
 */
export const TASK_ENDS = ['done', 'failed', 'killed', 'dropped', 'refused'] as const;
export type TaskEnd = (typeof TASK_ENDS)[number];

export interface LaneFigures {
  waiting: number;
  running: number;
  /** For which threads have worked, by the clock. */
  seconds: number;
  readonly ended: Record<TaskEnd, number>;
}

export interface PoolFigures {
  readonly threads: number;
  readonly lanes: Readonly<Record<Lane, Readonly<LaneFigures>>>;
}

/** A pool with the right to close it. */
export type ClosablePool = TaskPool & {
  /** Ends all tasks. */
  close(): Promise<void>;
  /** Undefined where there are no threads. */
  readonly figures?: () => PoolFigures;
};

export interface Parsing extends Omit<TaskOptions, 'size'> {
  readonly pool: TaskPool;
}

/** Too many tasks are waiting; the same can be tried again later. */
export class PoolBusy extends Error {
  override readonly name = 'PoolBusy';

  constructor() {
    super('this node has too many documents to read just now; try again in a moment');
  }
}

/**
 * Runs tasks in the thread that asks for them, pausing between pieces at the given pace: for tests, simulations and
 * the command line. It has neither deadline nor memory limit, so a server must not use it for strangers' documents.
 */
export function inProcess(pace: Pace): ClosablePool {
  return {
    async *run(task, input, { signal }) {
      const breathe = pace();
      signal?.throwIfAborted();
      for await (const piece of task.run(decoded(input) as Parameters<typeof task.run>[0])) {
        yield piece;
        await breathe();
        signal?.throwIfAborted();
      }
    },
    close: async () => undefined,
  };
}

/** The input of a task, whose text may be given as its bytes in UTF-8: those take half of its memory. A task gets a string. */
export type Undecoded<Input> = Input extends { readonly text: string }
  ? Omit<Input, 'text'> & { readonly text: string | Uint8Array }
  : Input;

/** The input as a task gets it. @throws MalformedInput for bytes that are not UTF-8 */
export function decoded(input: unknown): unknown {
  const { text } = Object(input) as { text?: unknown };
  if (!(text instanceof Uint8Array)) return input;
  try {
    return { ...(input as object), text: new TextDecoder('utf-8', { fatal: true }).decode(text) };
  } catch (cause) {
    // Replaced characters would be stored as if they were meant.
    throw new MalformedInput('the text is not valid UTF-8', { cause });
  }
}

/**
 * Puts together what a task yields in pieces of a text: lists become one, and of all else the last counts.
 * @throws what `TaskPool.run` throws. @param whole what there is before the first piece
 */
export async function readInPieces<Input extends { readonly text: string }, Whole extends object>(
  task: Task<Input, Partial<Whole>>,
  input: Undecoded<Input>,
  whole: Whole,
  { pool, ...options }: Parsing,
): Promise<Whole> {
  const fields = whole as Record<string, unknown>;
  const { length: size } = (input as { readonly text: string | Uint8Array }).text;
  for await (const piece of pool.run(task, input, { ...options, size })) {
    for (const [name, value] of Object.entries(piece)) {
      const before = fields[name];
      if (Array.isArray(before) && Array.isArray(value)) before.push(...value);
      else fields[name] = value;
    }
  }
  return whole;
}
