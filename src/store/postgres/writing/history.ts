import { DIGEST_DIGITS } from '../../../core/cursor.js';
import type { NetworkLists } from '../../../core/network-lists.js';
import { feedDigest, type SourceSummary } from '../../../core/source-digests.js';
import { only, type Session } from '../connection/session.js';
import type { Transaction } from '../connection/transaction.js';
import { HEAD_COLUMNS, type Head, lockHead, moveHead } from './head.js';
import { rememberState } from './tombstones.js';

/** A state of the registry: its head, and the summaries of its sources. */
export interface Moved {
  readonly head: Head;
  readonly summaries: readonly SourceSummary[];
}

interface StateRow extends Head {
  readonly summaries: readonly SourceSummary[] | null;
}

/** The state and the summaries of the sources in one statement, so that they belong together. */
const STATE = `SELECT ${HEAD_COLUMNS}, (
    SELECT json_agg(json_build_object(
      'source', json_build_object('kind', r.kind, 'url', r.url),
      'rank', r.rank, 'count', r.count, 'digest', r.digest, 'position', r.position))
    FROM registry.source AS r WHERE r.count > 0
  ) AS summaries
  FROM registry.head AS h WHERE h.id = 1`;

export async function stateIn(session: Session): Promise<Moved> {
  const { summaries, ...head } = only(await session.rows<StateRow>(STATE, [], 'state'), 'head');
  return { head, summaries: summaries ?? [] };
}

/** What a node has shown last. By this it notices that the database has gone back, and tells another history now. */
export interface History {
  readonly shown: Moved | undefined;
  newEpoch(): string;
}

export interface Locked extends Moved {
  /** The database has gone back, and the transaction writes a new epoch. */
  readonly isAnother: boolean;
}

/**
 * Has all other commits that change what readers see wait until this transaction has ended. Where the database has lost a
 * state that this node has shown (a standby that was promoted without it, a backup that was restored), another epoch begins
 * with this transaction: so no reader takes what has the same number for what it knows.
 */
export async function lockHistory(session: Session, { shown, newEpoch }: History): Promise<Locked> {
  const head = await lockHead(session);
  if (shown && isSameState(shown.head, head)) return { head, summaries: shown.summaries, isAnother: false };
  const isAnother = shown !== undefined && !(await isContinued(session, shown.head, head));
  const epoch = isAnother ? newEpoch() : head.epoch;
  return { head: { ...head, epoch }, summaries: (await stateIn(session)).summaries, isAnother };
}

/** The number alone does not tell: two histories come to the same one. A release before marks leaves them as they are. */
export function isSameState(
  one: Pick<Head, 'version' | 'mark'>,
  other: Pick<Head, 'version' | 'mark'>,
): boolean {
  return one.version === other.version && one.mark === other.mark;
}

/** Is what was shown part of the history that the database tells now, or of one that somebody has noticed to be another? */
export async function isContinued(session: Session, shown: Head, now: Head): Promise<boolean> {
  if (isSameState(shown, now) || shown.epoch !== now.epoch) return true;
  if (now.version <= shown.version) return false;
  // States below the floor are forgotten: a node that was stopped for long cannot tell.
  if (shown.position < now.floor) return true;
  const [state] = await session.rows<{ digest: string }>(
    'SELECT digest FROM registry.state WHERE position = $1',
    [shown.position],
  );
  return state?.digest === shown.digest.slice(0, DIGEST_DIGITS);
}

/** Has another epoch begin; `undefined` when the database tells the history that this node has shown, or another epoch already. */
export async function beginHistory(
  transaction: Transaction,
  history: History,
  now: number,
): Promise<Moved | undefined> {
  const { head, summaries, isAnother } = await lockHistory(transaction, history);
  const { position, revision } = head;
  const moved = { ...head, position: position + 1, revision: revision + 1, since: Math.max(now, head.since) };
  return isAnother ? moveTo(transaction, { head: moved, summaries }, now) : undefined;
}

/** Writes the state that a transaction leads to; its digest is that of the summaries. `now`: ms since the Unix epoch. */
export async function moveTo(
  transaction: Transaction,
  { head, summaries }: Moved,
  now: number,
): Promise<Moved> {
  const statements = summaries.reduce((sum, { count }) => sum + count, 0);
  const moved = {
    ...head,
    changed_at: Math.max(now, head.changed_at),
    digest: feedDigest(summaries, head.network_revision),
  };
  const remembered = await rememberState(transaction, moved, { statements, now });
  return { head: moveHead(transaction, remembered), summaries };
}

/** Stores the addresses that the node passes on; `undefined` when they are the same as before. */
export async function setNetwork(
  transaction: Transaction,
  lists: NetworkLists,
  { now, history }: { readonly now: number; readonly history: History },
): Promise<Moved | undefined> {
  const network = JSON.stringify(lists);
  const { head, summaries } = await lockHistory(transaction, history);
  if (head.network === network) return undefined;
  const next = {
    network_revision: head.network_revision + 1,
    network_since: Math.max(now, head.network_since),
  };
  const moved = { ...head, ...next, network, position: head.position + 1 };
  return moveTo(transaction, { head: moved, summaries }, now);
}
