import type { NetworkLists } from '../../../core/network-lists.js';
import type { Transaction } from '../connection/transaction.js';
import { type History, lockHistory, type Moved, moveTo } from './history.js';

export interface NetworkParts {
  /** ms since the Unix epoch. */
  readonly now: number;
  readonly history: History;
}

/** Stores the addresses that the node passes on; `undefined` when they are the same as before. */
export async function setNetwork(
  transaction: Transaction,
  lists: NetworkLists,
  { now, history }: NetworkParts,
): Promise<Moved | undefined> {
  const network = JSON.stringify(lists);
  const { head, summaries } = await lockHistory(transaction, history);
  if (head.network === network) return undefined;
  const moved = {
    ...head,
    network,
    network_revision: head.network_revision + 1,
    network_since: Math.max(now, head.network_since),
    position: head.position + 1,
  };
  return moveTo(transaction, { head: moved, summaries }, now);
}
