import type { Clock } from '../lib/clock.js';
import { HeadUnknown } from './faults.js';
import type { Head, Keep, Row } from './keep.js';

/** Ms until it is tried again to read what others have written. */
const AGAIN = 5_000;

/** Who holds in memory what a keep has stored, and is to hear of what others commit. */
export interface Follower {
  /** All that was committed up to this is known. */
  readonly head: () => Head;
  /** Runs a task while the follower commits nothing itself. */
  readonly idle: (task: () => Promise<void>) => Promise<void>;
  /** Takes in rows that lead from the head that is known to another one. Called within `idle`. */
  readonly take: (rows: readonly Row[], head: Head) => Promise<void> | void;
  /** Reads everything anew, because the data has another history. Called within `idle`. */
  readonly reload: () => Promise<void>;
  /** Told why nothing can be read at present; it is tried again in a moment. */
  readonly failed: (error: unknown) => void;
}

/** Has a follower take in what others commit, until the signal is aborted. Never rejects. */
export async function follow(
  keep: Pick<Keep, 'tail'>,
  follower: Follower,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  const reloadOther = async (error: unknown) => {
    if (signal.aborted || !(error instanceof HeadUnknown)) throw error;
    await follower.idle(follower.reload);
  };
  while (!signal.aborted) {
    try {
      await followTail(keep, follower, signal).catch(reloadOther);
    } catch (error) {
      if (signal.aborted) return;
      follower.failed(error);
      await clock.sleep(AGAIN, signal).catch(() => undefined);
    }
  }
}

/** Until the follower commits something itself: a tail would bring those rows, too. */
async function followTail(
  keep: Pick<Keep, 'tail'>,
  { head: headOf, idle, take }: Follower,
  signal: AbortSignal,
): Promise<void> {
  let known = headOf();
  let rows: Row[] = [];
  for await (const { rows: some, head } of keep.tail(known, signal)) {
    rows.push(...some);
    if (!head) continue;
    let isStale = false;
    await idle(async () => {
      isStale = headOf().mark !== known.mark;
      if (!isStale) await take(rows, head);
    });
    if (isStale) return;
    known = head;
    rows = [];
  }
}
