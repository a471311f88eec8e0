import { explain, MalformedInput, TaskTimeout } from '../lib/faults.js';
import type { FetchFailureReason } from '../lib/fetch/fetch-failure.js';
import { PoolBusy } from '../lib/pool/task.js';
import { PollTimeout } from './source-reader.js';

/** A resource could not be read. It is returned where the poll goes on without it, and thrown where it cannot. */
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
