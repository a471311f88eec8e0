import { explain, MalformedInput } from '../lib/faults.js';
import { PoolBusy } from '../lib/pool/task.js';
import { PollTimeout } from './source-reader.js';

/**
 * Why a body could not be parsed: it is broken, there was no time left, or too many others wait. Every other error is
 * a fault of this node, or the poll was stopped.
 */
export function isParseFailure(error: unknown): error is Error {
  return error instanceof MalformedInput || error instanceof PoolBusy || error instanceof PollTimeout;
}

/** What the status says when reading something has met a fault of this node. */
export function stumbled(error: unknown): string {
  return `this node stumbled over it, by a fault of its own: ${explain(error)}`;
}

/** Why something that somebody else says cannot be taken, by what was thrown while it was read. */
export function wrongIn(error: unknown): string {
  return error instanceof MalformedInput ? error.message : stumbled(error);
}
