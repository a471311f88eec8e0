import { HTTPException } from 'hono/http-exception';
import { explain, InvalidInput, MalformedInput } from '../faults.js';
import { PoolBusy } from '../pool/task.js';
import { Problem } from './problem.js';

/** The part of a logger that errors are written to. */
export interface ErrorLog {
  error(fields: Record<string, unknown>, message: string): void;
}

/**
 * What a client is told about an error. Faults in its input are told in full; of what went wrong inside,
 * nothing but that it did.
 */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof InvalidInput) return new Problem(422, error.message, { errors: error.faults });
  if (error instanceof MalformedInput) return new Problem(400, explain(error), { cause: error });
  if (error instanceof PoolBusy) return new Problem(503, error.message, { headers: { 'retry-after': '5' } });
  if (error instanceof HTTPException && error.status < 500) return new Problem(error.status, error.message);
  return new Problem(500, 'Something went wrong on this node; its log says what', { cause: error });
}

/** The same, and an error of the node itself is logged, once, with the request and all its causes. */
export function reportError(
  error: unknown,
  request: { method: string; url: string },
  log: ErrorLog,
): Problem {
  const problem = problemOf(error);
  if (problem.status >= 500 && problem.cause !== undefined) {
    log.error(
      { err: problem.cause, method: request.method, path: pathOf(request.url) },
      explain(problem.cause),
    );
  }
  return problem;
}

/** Without the query string, which may carry what should not be in a log. */
function pathOf(url: string): string {
  return url.replace(/^[a-z]+:\/\/[^/]*/i, '').replace(/[?#].*$/s, '');
}
