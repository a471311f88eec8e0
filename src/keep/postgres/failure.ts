import { StorageFailure, StoreUnavailable } from '../../lib/faults.js';

/**
 * What an error of the database means for the transaction that met it (PostgreSQL, appendix A):
 * `conflict`: with another transaction, and the same again may succeed at once; `lost`: the connection is gone or leads to a host
 * that takes no writes; `busy`: the server has no room for it now; `late`: it had to wait for too long, for others or for the answer,
 * which says nothing of the server; `full`: its disk is full; `fault`: anything else.
 */
export type FailureKind = 'conflict' | 'lost' | 'busy' | 'late' | 'full' | 'fault';

const KINDS: readonly (readonly [codes: RegExp, kind: FailureKind])[] = [
  // serialization_failure, deadlock_detected; CockroachDB asks for retries with the first one, too.
  [/^(40001|40P01)$/, 'conflict'],
  // Connections that broke; a server that ends, crashes or starts; a transaction on a host that is read-only. And a commit of
  // which the database cannot tell whether it happened (CockroachDB).
  [/^(08...|40003|57P0[1-5]|25006|25P0[34])$/, 'lost'],
  [/^(ECONN(REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|E(HOST|NET)UNREACH|ENOENT)$/, 'lost'],
  // disk_full, and what an operating system says of a file that cannot grow.
  [/^(53100|58030)$/, 'full'],
  // Too many connections or too little memory.
  [/^53...$/, 'busy'],
  // A statement, or a wait for a lock.
  [/^(57014|55P03)$/, 'late'],
];

/** What the library says of connections without a code, and when all connections that it may make were in use for too long. */
const LOST =
  /connection terminated|terminated unexpectedly|encountered a connection error|not queryable|after calling end|query read timeout|timeout expired/i;
const LATE = /timeout exceeded when trying to connect/i;

export function failureKind(error: unknown): FailureKind {
  const code = codeOf(error);
  if (code !== undefined) return KINDS.find(([codes]) => codes.test(code))?.[1] ?? 'fault';
  if (!(error instanceof Error)) return 'fault';
  if (LATE.test(error.message)) return 'late';
  return LOST.test(error.message) ? 'lost' : 'fault';
}

/** What PostgreSQL says with such a code. */
export function failed(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** The error of the contract for those who asked. What is no failure of the database stays what it is. */
export function explained(error: unknown): unknown {
  const kind = failureKind(error);
  if (kind === 'fault') return error;
  if (kind === 'full')
    return new StorageFailure('The disk of the database is full: nothing can be stored at present', {
      cause: error,
    });
  const what = kind === 'lost' ? 'cannot be reached' : 'has too much to do';
  return new StoreUnavailable(`The database ${what} at present; try again in a moment`, { cause: error });
}
