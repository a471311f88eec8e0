/** One thing that is wrong with an input, and where: `pointer` is a JSON Pointer (RFC 6901), `''` the whole. */
export interface Fault {
  pointer: string;
  detail: string;
}

/** Input that was understood but breaks a rule. Carries every fault found, not just the first. */
export class InvalidInput extends Error {
  override readonly name = 'InvalidInput';

  constructor(
    message: string,
    readonly faults: readonly Fault[],
    /** False when there were so many faults that not all of the input was looked at. */
    readonly isComplete = true,
  ) {
    super(message);
  }
}

/** Input that cannot be read at all: not JSON, not Turtle, cut short. */
export class MalformedInput extends Error {
  override readonly name: string = 'MalformedInput';
}

/** Reading an input took more time than this node gives it. Another node may read it, or this one when it is less busy. */
export class TaskTimeout extends MalformedInput {
  override readonly name = 'TaskTimeout';
}

/**
 * The disk is full, or refuses to write (507): nothing of the change has been stored. It can be tried again when
 * there is room, without a restart. The message is for clients, too.
 */
export class StorageFailure extends Error {
  override readonly name = 'StorageFailure';
}

/**
 * What the node stores its data in cannot be asked at present (503 with `Retry-After`); trying again in a moment
 * may help. The message is for clients, too.
 */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}

/**
 * The store failed in the middle of a commit and could not be asked afterwards: whether the change is stored is
 * seen when it answers again. The message is for clients, too.
 */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown';
}

/** A JSON Pointer (RFC 6901) to a path of object keys and array positions. */
export function pointerTo(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** What an error says, with the chain of its causes, for a log line or a status page. */
export function explain(error: unknown): string {
  const parts: string[] = [];
  for (let at: unknown = error; at !== undefined && at !== null && parts.length < 5; ) {
    const said = at instanceof Error ? at.message || at.name : String(at);
    if (said && !parts.some((part) => part.includes(said))) parts.push(said);
    at = at instanceof Error ? at.cause : undefined;
  }
  return parts.join(': ');
}
