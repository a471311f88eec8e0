import { feedDigest, type SourceLine } from '../../../registry/feed.js';
import type { NetworkLists } from '../../../registry/network-lists.js';
import type { Session } from '../connection/session.js';
import type { Moved } from './commit.js';
import { lockHead, moveHead } from './head.js';
import { readLines } from './source-lines.js';
import { rememberState } from './tombstones.js';

export interface NetworkParts {
  /** ms since the Unix epoch. */
  readonly now: number;
  readonly linesAt: (version: number) => readonly SourceLine[] | undefined;
}

/** Stores the addresses that the node passes on; `undefined` when they are the same as before. */
export async function setNetwork(
  session: Session,
  lists: NetworkLists,
  { now, linesAt }: NetworkParts,
): Promise<Moved | undefined> {
  const network = JSON.stringify(lists);
  const { version, ...head } = await lockHead(session);
  if (head.network === network) return undefined;
  const lines = linesAt(version) ?? (await readLines(session));
  const network_revision = head.network_revision + 1;
  const moved = {
    ...{ ...head, network, network_revision, network_since: Math.max(now, head.network_since) },
    ...{ position: head.position + 1, changed_at: Math.max(now, head.changed_at) },
    digest: feedDigest(lines, network_revision),
  };
  const statements = lines.reduce((sum, { count }) => sum + count, 0);
  return { head: await moveHead(session, await rememberState(session, moved, { statements, now })), lines };
}
