import type { FaultyDescription } from '../component/reading/described.js';
import {
  type DocumentRecord,
  type InvalidComponent,
  LONGEST_SUBJECT,
  UNNAMED_INVALID,
} from '../core/document-record.js';
import type { StoredDocument } from '../core/source-record.js';
import { explain, MalformedInput, TaskTimeout } from '../lib/faults.js';
import type { FetchFailureReason } from '../lib/fetch/fetch-failure.js';
import { PoolBusy } from '../lib/pool/task.js';
import { PollTimeout } from './source-reader.js';

/** Nothing was learned of what another server was asked for. */
export interface Failed {
  readonly kind: 'failed';
  readonly message: string;
  /** Of the answer, where there was one. */
  readonly status?: number;
  /** `self`: it is the node that asks. */
  readonly reason?: FetchFailureReason | 'self' | undefined;
  /** The time that `Retry-After` asks to wait for, ms since the epoch. */
  readonly notBefore?: number | undefined;
}

/** Why a source is not read to its end when the time of its poll is over. */
export const TOO_SLOW = 'it answers so slowly that the poll was cut short; the next one goes on from here';

/** Characters of an error that is kept for a document: errors quote what they are about. */
const LONGEST_ERROR = 500;

/**
 * What is to be remembered of a document of which nothing can be taken: what was stored of it stays, and the
 * status tells why.
 */
export function afterFailure(stored: StoredDocument | undefined, error: string, now: number): DocumentRecord {
  const { components: _, ...kept } = stored ?? { components: 0 };
  return { ...kept, error: error.slice(0, LONGEST_ERROR), failingSince: kept.failingSince ?? now };
}

/**
 * Why a body could not be parsed: it is broken, there was no time left, or too many others wait. Every other
 * error is a fault of this node, or the poll was stopped.
 */
export function isParseFailure(error: unknown): error is Error {
  return error instanceof MalformedInput || error instanceof PoolBusy || error instanceof PollTimeout;
}

/** Why a resource is not read, or not to its end. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';

  /**
   * @param why `unknown`: the other side does not have what it is asked for; `malformed`: what was said cannot
   * be understood, or is more than this node keeps; `disagrees`: what the other side says of its sources is not
   * the state that its own cursor names
   */
  constructor(
    readonly failure: Failed,
    readonly why: 'failed' | 'unknown' | 'malformed' | 'disagrees' = 'failed',
  ) {
    super(failure.message);
  }
}

/** For one that did not say `message`, but did what it tells. */
export function unreadable(message: string, why: Unreadable['why'] = 'malformed'): Unreadable {
  return new Unreadable({ kind: 'failed', message }, why);
}

/** What a parser makes of a body. @throws Unreadable, and what is no `isParseFailure` */
export async function parsed<T>(parsing: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await parsing;
  } catch (error) {
    if (!isParseFailure(error)) throw error;
    // A body for which there was no time may be a sound one.
    const isMalformed = error instanceof MalformedInput && !(error instanceof TaskTimeout);
    throw unreadable(signal.aborted ? TOO_SLOW : explain(error), isMalformed ? 'malformed' : 'failed');
  }
}

/** What the status says when reading something has met a fault of this node. */
export function stumbled(error: unknown): string {
  return `this node stumbled over it, by a fault of its own: ${explain(error)}`;
}

/** Why something that somebody else says cannot be taken, by what was thrown while it was read. */
export function wrongIn(error: unknown): string {
  return error instanceof MalformedInput ? error.message : stumbled(error);
}

/** How much is kept of each invalid description: reasons, and characters of its subject and of each reason. */
const KEPT_INVALID = { reasons: 10, subject: LONGEST_SUBJECT, reason: 200 } as const;

/** An invalid description as the status shows it. */
export function invalidComponent({ subject, faults }: FaultyDescription): InvalidComponent {
  return {
    subject: subject.slice(0, KEPT_INVALID.subject),
    reasons: faults.slice(0, KEPT_INVALID.reasons).map(({ detail }) => detail.slice(0, KEPT_INVALID.reason)),
  };
}

/**
 * The invalid descriptions of a document, with a line that counts those that are not named; undefined when
 * there are none.
 */
export function withUnnamed(
  named: readonly InvalidComponent[],
  unnamed: number,
): InvalidComponent[] | undefined {
  const more = unnamed > 0 ? [{ subject: `${unnamed} more`, reasons: [UNNAMED_INVALID] }] : [];
  return named.length + more.length === 0 ? undefined : [...named, ...more];
}
