import { randomUUID } from 'node:crypto';
import type { SourceSummary } from '../../../core/source-digests.js';
import type { Feed } from '../../../registry/feed.js';
import type { State } from '../../../registry/state.js';
import { only, type Session } from '../connection/session.js';
import type { Transaction } from '../connection/transaction.js';

/** The row that says where the registry stands. Times are ms since the Unix epoch. */
export interface Head {
  /** Moves with everything that readers see. */
  readonly version: number;
  /** Drawn at random for each version: two histories of a database come to the same numbers, and not to the same marks. */
  readonly mark: string;
  readonly epoch: string;
  readonly revision: number;
  readonly since: number;
  readonly network_revision: number;
  readonly network_since: number;
  /** `NetworkLists` as JSON. */
  readonly network: string;
  readonly components: number;
  readonly position: number;
  readonly changed_at: number;
  readonly floor: number;
  readonly digest: string;
  /** States that are remembered. */
  readonly states: number;
  readonly tombstones: number;
  readonly base_url: string;
  readonly namespace: string;
  /** What the descriptions looked like to readers at the last start of a node. */
  readonly served_as: string;
  /** Of the oldest removal that is remembered, as it was before the head was locked. */
  readonly oldest_at: number | null;
}

const COLUMNS = [
  ...['version', 'mark', 'epoch', 'revision', 'since', 'network_revision', 'network_since', 'network'],
  ...['components', 'position', 'changed_at', 'floor', 'digest', 'states', 'tombstones'],
  ...['base_url', 'namespace', 'served_as'],
] as const;

export const HEAD_COLUMNS = `${COLUMNS.map((name) => `h.${name}`).join(', ')},
  (SELECT t.changed_at FROM registry.tombstone AS t ORDER BY t.position LIMIT 1) AS oldest_at`;

/** Has all other commits that change what readers see wait until this transaction has ended. */
export async function lockHead(session: Session): Promise<Head> {
  const rows = await session.rows<Head>(
    `SELECT ${HEAD_COLUMNS} FROM registry.head AS h WHERE h.id = 1 FOR UPDATE OF h`,
    [],
    'lock-head',
  );
  return only(rows, 'head');
}

/** Writes the head, which is locked, one version further. */
export function moveHead(transaction: Transaction, before: Head): Head {
  const head = { ...before, version: before.version + 1, mark: randomUUID() };
  const assigned = COLUMNS.map((name, i) => `${name} = $${i + 1}`).join(', ');
  const values = COLUMNS.map((name) => head[name]);
  transaction.later(`UPDATE registry.head SET ${assigned} WHERE id = 1`, values);
  return head;
}

/** Makes the row of a registry that holds nothing yet, if there is none. */
export async function createHead(
  session: Session,
  { epoch, now }: { readonly epoch: string; readonly now: number },
): Promise<void> {
  await session.rows(
    `INSERT INTO registry.head
       (id, version, epoch, revision, since, network_revision, network_since, network, components, position,
        changed_at, floor, digest, states, tombstones, base_url, namespace, served_as)
     VALUES (1, 0, $1, 1, $2, 0, $2, '{"peers":[],"storage":[]}', 0, 0, 0, 0, '', 0, 0, '', '', '')
     ON CONFLICT DO NOTHING`,
    [epoch, now],
  );
}

/** What the row, and the summaries of the sources, say to readers. */
export function stateOf(head: Head, sources: readonly SourceSummary[]): State {
  const { epoch, revision, since, network_revision, network_since, components } = head;
  const { position, digest, floor, tombstones } = head;
  const feed: Feed = { position, digest, floor, tombstones, sources };
  return {
    revision: { epoch, number: revision, since },
    networkRevision: { epoch, number: network_revision, since: network_since },
    components,
    feed,
  };
}
