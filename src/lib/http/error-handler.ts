import {
  explain,
  InvalidInput,
  MalformedInput,
  OutcomeUnknown,
  StorageFailure,
  StoreUnavailable,
  TaskTimeout,
} from '../faults.js';
import type { LogTo } from '../log.js';
import { PoolBusy } from '../pool/task.js';
import { Problem } from './problem.js';
import type { RouteRequest } from './request/route-request.js';

/** The part of a log that errors are written to. */
export type ErrorLog = LogTo<'error'>;

/**
 * The problem that a client is sent for an error. It names every fault of the client's input; about an error of the
 * node it only says that there was one.
 */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof InvalidInput) return invalid(error);
  // Trying again may help: the machine was busy, the document is too complex for this node, or the database
  // is gone. There is no `cause`, so nothing is logged here: the engine has logged once that its database is
  // gone, and every request meets that.
  if (error instanceof TaskTimeout || error instanceof PoolBusy || error instanceof StoreUnavailable)
    return new Problem(503, error.message, { headers: { 'retry-after': '5' } });
  if (error instanceof MalformedInput) return new Problem(400, explain(error), { cause: error });
  // RFC 4918, section 11.5. There is a cause only in the request that met the failing disk first, so it is logged once.
  if (error instanceof StorageFailure)
    return new Problem(507, error.message, { headers: { 'retry-after': '30' }, cause: error.cause });
  // Without `Retry-After`: a client that asks again by itself may have its change made twice.
  if (error instanceof OutcomeUnknown) return new Problem(500, error.message, { cause: error });
  return new Problem(500, 'Something went wrong on this node; its log says what', { cause: error });
}

/** How many faults an answer names at most: a short body can have very many. */
const NAMED_FAULTS = 20;

function invalid({ message, faults, isComplete }: InvalidInput): Problem {
  const more = faults.length - NAMED_FAULTS;
  const others = `and there are ${isComplete ? '' : 'at least '}${more} more`;
  const detail = more > 0 ? `${message}; the first ${NAMED_FAULTS} faults are named, ${others}` : message;
  return new Problem(422, detail, { errors: faults.slice(0, NAMED_FAULTS) });
}

/** Like `problemOf`; also logs an error of the node, with the request and all causes. That the client has gone is none. */
export function reportError(error: unknown, { method, url, raw }: RouteRequest, log: ErrorLog): Problem {
  const { signal } = raw;
  const hasLeft = signal.aborted && error === signal.reason;
  const problem = hasLeft ? new Problem(400, 'The connection was closed') : problemOf(error);
  if (problem.status >= 500 && problem.cause !== undefined) {
    // Without the query string, which may carry what should not be in a log.
    const path = url.replace(/^[a-z]+:\/\/[^/]*/i, '').replace(/[?#].*$/s, '');
    log.error({ err: problem.cause, method, path }, explain(problem.cause));
  }
  return problem;
}
