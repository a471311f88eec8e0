/** When a snapshot of the catalog saves more than it costs. Changes are counted from the snapshot that there is. */

/** Changes: a part of all statements, but at least so many. */
interface Changes {
  readonly part: number;
  readonly least: number;
}

/**
 * A start reads a snapshot up to here: a change since then costs seven times as much as reading one of all statements in their
 * order.
 */
const READ: Changes = { part: 1 / 12, least: 1000 };
/** Another one is written from here on; more often would cost more than it saves while a catalog grows. */
const WRITTEN: Changes = { part: 1 / 5, least: 20_000 };
/** The same once nothing has changed for `QUIET_MS`: a stop of a large catalog has no time for it, and a kill none at all. */
const WRITTEN_WHEN_QUIET: Changes = { part: 1 / 100, least: 1000 };

export const QUIET_MS = 60_000;
/** After so long, one change is reason enough to write one. */
export const LONG_MS = 3_600_000;
/** What a stop may take for it: the process has five seconds. Else the snapshot from before stays. */
export const AT_A_STOP_MS = 3000;
/** Statements from which on there are snapshots, and changes that are worth one at a stop: so few, a start reads as fast. */
export const FEW = 1000;

/** Changes up to which a start reads a snapshot. */
export function mostToRead(statements: number): number {
  return amount(READ, statements);
}

/** Changes from which on another snapshot is written, at once or when nothing changes. */
export function leastToWrite(statements: number, isQuiet: boolean): number {
  return amount(isQuiet ? WRITTEN_WHEN_QUIET : WRITTEN, statements);
}

function amount({ part, least }: Changes, statements: number): number {
  return Math.max(statements * part, least);
}
