import type { FaultyDescription } from '../component/reading/described.js';
import {
  type DocumentRecord,
  type InvalidComponent,
  LONGEST_SUBJECT,
  UNNAMED_INVALID,
} from '../core/document-record.js';
import type { StoredDocument } from '../core/source-record.js';
import { excerpt } from '../lib/excerpt.js';
import { explain, MalformedInput, TaskTimeout } from '../lib/faults.js';
import type { FetchFailureReason } from '../lib/fetch/fetch-failure.js';
import { PoolBusy } from '../lib/pool/task.js';
import { PollTimeout } from './source-reader.js';

/** Why a resource is not read, or not to its end: returned to who goes on without it, thrown where all ends. */
export class Failed extends Error {
  override readonly name = 'Failed';
  readonly kind = 'failed';
  /**
   * `unknown`: the other side does not have what it is asked for; `malformed`: what was said cannot be
   * understood, or is more than this node keeps; `costly`: to understand it takes longer than this node may;
   * `disagrees`: what the other side says of its sources is not the state that its own cursor names.
   */
  readonly why?: 'unknown' | 'malformed' | 'costly' | 'disagrees';
  /** Of the answer, where there was one. */
  readonly status?: number;
  /** `self`: it is the node that asks. */
  readonly reason?: FetchFailureReason | 'self';
  /** The time that `Retry-After` asks to wait for, ms since the epoch. */
  readonly notBefore?: number;

  constructor(
    message: string,
    { why, status, reason, notBefore }: Pick<Failed, 'why' | 'status' | 'reason' | 'notBefore'> = {},
  ) {
    super(message);
    Object.assign(this, { why, status, reason, notBefore });
  }

  /** Was there no answer? It says something of the host, and nothing of what it was asked for. */
  get isSilence(): boolean {
    return ['unresolved', 'connection', 'timeout'].includes(this.reason ?? '');
  }
}

/** Of what cannot be understood, or is more than this node keeps. */
export function malformed(message: string): Failed {
  return new Failed(message, { why: 'malformed' });
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

/** What a parser makes of a body. @throws Failed, and what is a fault of this node */
export async function parsed<T>(parsing: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await parsing;
  } catch (error) {
    const isFailure = [MalformedInput, PoolBusy, PollTimeout].some((one) => error instanceof one);
    if (!isFailure) throw error;
    const ofBody = error instanceof TaskTimeout ? 'costly' : 'malformed';
    const why = error instanceof MalformedInput ? ofBody : undefined;
    throw new Failed(signal.aborted ? TOO_SLOW : explain(error), { why });
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
    reasons: faults.slice(0, KEPT_INVALID.reasons).map(({ detail }) => excerpt(detail, KEPT_INVALID.reason)),
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
