import { explain, MalformedInput } from '../lib/faults.js';
import type { LogTo } from '../lib/log.js';
import { PoolBusy } from '../lib/pool/task.js';
import { PollTimeout } from './source-reader.js';

/**
 * Why a body could not be parsed: it is broken, there was no time left, or too many others wait. Every other error is
 * a fault of this node, or the poll was stopped.
 */
export function isParseFailure(error: unknown): error is Error {
  return error instanceof MalformedInput || error instanceof PoolBusy || error instanceof PollTimeout;
}

/** Something that somebody else says and that cannot be taken; with the stack where that is a fault of this node. */
export interface Wrong {
  readonly message: string;
  readonly stack?: string | undefined;
}

/** What the status says when reading something has met a fault of this node. The log has the stack. */
export function stumbled(error: unknown): string {
  return `this node stumbled over it, by a fault of its own: ${explain(error)}`;
}

/** Of what was thrown while something was read. */
export function wrongIn(error: unknown): Wrong {
  if (error instanceof MalformedInput) return { message: error.message };
  return { message: stumbled(error), stack: error instanceof Error ? error.stack : undefined };
}

/** Logs a fault of this node, which a thread may have met: it hands over the stack. */
export function logStumble(
  log: LogTo<'error'>,
  { wrong }: { readonly wrong?: Wrong | undefined },
  where: Readonly<Record<string, string>>,
): void {
  if (wrong?.stack === undefined) return;
  log.error({ ...where, error: wrong.message, stack: wrong.stack }, 'this node stumbled over a document');
}
