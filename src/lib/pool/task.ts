import { MalformedInput } from '../faults.js';

/** What a task is done for. Lanes take turns, so that none of them can occupy all workers. */
export const LANES = ['configured', 'learned', 'refresh', 'post', 'lint'] as const;
export type Lane = (typeof LANES)[number];

/**
 * Work on a document of a stranger, such as parsing: from plain data, which `structuredClone` can copy, to plain data, which
 * JSON can hold.
 */
export interface Task<Input, Result extends object> {
  /**
   * How a worker finds the task: the module that exports it, as its path below the folder of the program (where the build
   * keeps a file for it) or as a URL, and the name of the export.
   */
  readonly module: string;
  readonly name: string;
  /** Documents up to this size take less than 5 ms, and so are worked on where they are. None when absent. */
  readonly short?: number;
  /** Lists that are fields of the result may be long: each of their items, and each other field, is parsed without a pause. */
  readonly run: (input: Input) => Result | Promise<Result>;
}

export interface TaskOptions {
  readonly lane: Lane;
  /** Length of the document in characters or bytes, on which the time limit depends: that of the input's text when absent. */
  readonly size?: number;
  /** Aborted when the result is not needed any more. */
  readonly signal?: AbortSignal | undefined;
}

export interface TaskPool {
  /**
   * Runs a task.
   * @throws MalformedInput for faults that the task finds, and for documents that take too much memory or, as TaskTimeout,
   * time; PoolBusy when too many tasks are waiting; the signal's reason when it is aborted
   */
  run<Input, Result extends object>(
    task: Task<Input, Result>,
    input: Undecoded<Input>,
    options: TaskOptions,
  ): Promise<Result>;
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

export interface Parsing extends TaskOptions {
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
 * Runs tasks in the thread that asks for them: for tests, simulations and the command line. It has neither deadline nor
 * memory limit, so a server must not use it for strangers' documents.
 */
export const inProcess: ClosablePool = {
  async run(task, input, { signal }) {
    signal?.throwIfAborted();
    const result = await task.run(decoded(input) as Parameters<typeof task.run>[0]);
    signal?.throwIfAborted();
    return result;
  },
  close: async () => undefined,
};

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
