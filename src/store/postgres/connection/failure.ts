import { StorageFailure, StoreUnavailable } from '../../../lib/faults.js';

/**
 * What an error of the database means for the transaction that met it (PostgreSQL, appendix A):
 * `conflict`: with another transaction, and the same again may succeed at once; `lost`: the connection is gone or leads to a
 * host that takes no writes; `busy`: the server has no room or time for it now; `full`: its disk is full; `fault`: our own.
 */
export type FailureKind = 'conflict' | 'lost' | 'busy' | 'full' | 'fault';

const KINDS: readonly (readonly [codes: RegExp, kind: FailureKind])[] = [
  // serialization_failure, deadlock_detected; CockroachDB asks for retries with the first one, too.
  [/^(40001|40P01)$/, 'conflict'],
  // Connections that broke; a server that ends, crashes or starts; a transaction on a host that is read-only.
  [/^(08...|57P0[1-5]|25006|25P0[34])$/, 'lost'],
  [/^(ECONN(REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|E(HOST|NET)UNREACH|ENOENT)$/, 'lost'],
  // disk_full, and what an operating system says of a file that cannot grow.
  [/^(53100|58030)$/, 'full'],
  // Too many connections or too little memory; a statement or a wait for a lock that took too long.
  [/^(53...|57014|55P03)$/, 'busy'],
];

/** What the library says of connections without a code. */
const LOST_MESSAGE =
  /connection terminated|terminated unexpectedly|Client has encountered a connection error|not queryable|Cannot use a pool after|query read timeout/i;
/** What the library says when all connections that it may make are in use. */
const BUSY_MESSAGE = /timeout exceeded when trying to connect/i;

export function failureKind(error: unknown): FailureKind {
  if (error instanceof ReadOnlyHost) return 'lost';
  if (error instanceof HistoryLost) return 'conflict';
  const code = codeOf(error);
  const known = code === undefined ? undefined : KINDS.find(([codes]) => codes.test(code));
  if (known) return known[1];
  if (!(error instanceof Error)) return 'fault';
  if (BUSY_MESSAGE.test(error.message)) return 'busy';
  return LOST_MESSAGE.test(error.message) ? 'lost' : 'fault';
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** How an error begins that tells what each of several hosts says. */
export const NO_HOST = 'None of the hosts takes writes';

/** A standby, or a server that has been told to take no writes. */
export class ReadOnlyHost extends Error {
  override readonly name = 'ReadOnlyHost';
}

/**
 * The database has lost what this node has shown of it: a standby without the latest commits was promoted, or a backup was
 * restored. Asked again, it answers from the new history that the node begins as soon as it notices.
 */
export class HistoryLost extends Error {
  override readonly name = 'HistoryLost';
}

/** The error for those who asked, in the words of the rest of the node. Our own faults stay what they are. */
export function explained(error: unknown): unknown {
  const kind = failureKind(error);
  if (kind === 'full') {
    return new StorageFailure('The disk of the database is full: nothing can be stored at present', {
      cause: error,
    });
  }
  if (kind === 'fault') return error;
  const what = kind === 'lost' ? 'cannot be reached' : 'has too much to do';
  return new StoreUnavailable(`The database ${what} at present; try again in a moment`, { cause: error });
}
