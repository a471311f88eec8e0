import { StorageFailure, StoreUnavailable } from '../../lib/faults.js';

/**
 * What an error of the database means for the transaction that met it (PostgreSQL, appendix A):
 * `conflict`: with another transaction, and the same again may succeed at once; `lost`: the connection is gone or leads to a host
 * that takes no writes; `silent`: nothing was heard of the server for as long as is waited for it; `busy`: the server has no room for
 * it now; `late`: it had to wait for others for too long, which says nothing of the server; `full`: its disk is full; `fault`: anything
 * else.
 */
export type FailureKind = 'conflict' | 'lost' | 'silent' | 'busy' | 'late' | 'full' | 'fault';

const KINDS: readonly (readonly [codes: RegExp, kind: FailureKind])[] = [
  // serialization_failure, deadlock_detected; CockroachDB asks for retries with the first one, too.
  [/^(40001|40P01)$/, 'conflict'],
  // Connections that broke; a server that ends, crashes or starts; a transaction on a host that is read-only.
  [/^(08...|57P0[1-5]|25006|25P0[34])$/, 'lost'],
  [/^(ECONN(REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|E(HOST|NET)UNREACH|ENOENT)$/, 'lost'],
  // disk_full, and what an operating system says of a file that cannot grow.
  [/^(53100|58030)$/, 'full'],
  // Too many connections or too little memory.
  [/^53...$/, 'busy'],
  // A statement, or a wait for a lock.
  [/^(57014|55P03)$/, 'late'],
];

/** What the library says without a code: the last one when all connections that it may make were in use for too long. */
const UNCODED: readonly (readonly [texts: RegExp, kind: FailureKind])[] = [
  [/query read timeout|timeout expired|connection timeout/i, 'silent'],
  [/connection terminated|terminated unexpectedly|connection error|not queryable|after calling end/i, 'lost'],
  [/timeout exceeded when trying to connect/i, 'late'],
];

export function failureKind(error: unknown): FailureKind {
  const code = codeOf(error);
  if (code !== undefined) return KINDS.find(([codes]) => codes.test(code))?.[1] ?? 'fault';
  const text = error instanceof Error ? error.message : '';
  return UNCODED.find(([texts]) => texts.test(text))?.[1] ?? 'fault';
}

/** Is there nobody at the other end of a connection any more? */
export function isGone(kind: FailureKind): boolean {
  return kind === 'lost' || kind === 'silent';
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
  const what = isGone(kind) ? 'cannot be reached' : 'has too much to do';
  return new StoreUnavailable(`The database ${what} at present; try again in a moment`, { cause: error });
}
