import type { RelayRecord } from '../../registry/source-record.js';
import type { PollResult } from '../sync-source.js';

/** A pod is verified so often, in ms: with the time until the next poll, within a day. */
const VERIFIED_EVERY = 23 * 60 * 60_000;
/** Those who read a pod may differ for so long, in ms: one of them has just read it, and the other will soon. */
const MAY_DIFFER = 15 * 60_000;
/** For so long nobody is believed after a lie, in ms. */
const DOUBTED = 24 * 60 * 60_000;

/** Is it time to verify a pod? `share`: from 0 to below 1, so that nodes and pods have times of their own. */
export function isDue({ verified }: RelayRecord, now: number, share: number): boolean {
  const turn = (time: number) => Math.floor(time / VERIFIED_EVERY + share);
  return now < verified || turn(now) !== turn(verified);
}

export function isDoubted({ doubtedUntil }: RelayRecord, now: number): boolean {
  return doubtedUntil !== undefined && now < doubtedUntil;
}

/** Do those who read the pod differ for longer than they may? */
export function differsTooLong({ differsSince }: RelayRecord, now: number): boolean {
  return differsSince !== undefined && (now < differsSince || now - differsSince >= MAY_DIFFER);
}

/** Those who read the pod differ, perhaps for some time already. */
export function differing(relay: RelayRecord, now: number): RelayRecord {
  return { ...relay, differsSince: relay.differsSince ?? now };
}

/** All say what is stored, which is taken from one of them. `date`: by the pod's clock. */
export function agreed({ verified, date }: RelayRecord, from: string, taken = date): RelayRecord {
  return { verified, date: taken, from };
}

/**
 * What is remembered after this node has read the pod itself: nothing, when it is not known what of the pod is stored now.
 * `isWrong`: it says something else than was taken from the one who reads it for this node, and who still says that.
 */
export function afterReading(
  { failure, documents, observed }: PollResult,
  before: RelayRecord | undefined,
  { now, isWrong = false }: { readonly now: number; readonly isWrong?: boolean },
): RelayRecord | undefined {
  if (!observed || failure) return failure && documents.length === 0 ? before : undefined;
  const read = { verified: now, date: observed.until };
  if (isWrong) return { ...read, doubtedUntil: now + DOUBTED };
  const { from, doubtedUntil } = before ?? {};
  return {
    ...read,
    ...(from === undefined ? {} : { from }),
    ...(doubtedUntil === undefined ? {} : { doubtedUntil }),
  };
}

/** What a poll remembers of the readers of a pod, and of nothing else. */
export function remembering(relay: RelayRecord | undefined): Required<Pick<PollResult, 'remember'>> {
  return { remember: () => (relay ? { relay } : {}) };
}
