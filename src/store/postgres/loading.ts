import { type DocumentRecord, unread } from '../../registry/document-record.js';
import type { LoadOptions } from '../registry-store.js';
import { UnusableData } from '../unusable-data.js';
import { NODE_LIFETIME, refuseClaimed, takeClaim } from './connection/claim.js';
import type { Session } from './connection/session.js';
import type { Transaction } from './connection/transaction.js';
import { portionsOf } from './portions-of.js';
import { createHead, lockHead, moveHead } from './writing/head.js';
import { moveTo, stateIn } from './writing/history.js';
import { orderAnew } from './writing/ranks.js';

/** A node, or somebody who claims the database in a name. */
export interface DatabaseUser {
  readonly node: string;
  readonly holder?: string | undefined;
}

/**
 * Brings the database up to date with the configuration of a node that starts, and notes that the node is there.
 * @throws UnusableData when nodes of another registry use it, or during an import
 */
export async function load(session: Transaction, user: DatabaseUser, options: LoadOptions): Promise<void> {
  const { baseUrl, vocabulary, servedAs, clock, random } = options;
  const now = clock.now();
  await createHead(session, { epoch: Math.floor(random() * 2 ** 52).toString(36), now });
  const before = await lockHead(session);
  await join(session, user, baseUrl);
  await session.rows('DELETE FROM registry.term_count WHERE count <= 0');
  const served_as = JSON.stringify([baseUrl, vocabulary.namespace, servedAs]);
  const looksDifferent = before.served_as !== '' && before.served_as !== served_as;
  if (before.namespace !== '' && before.namespace !== vocabulary.namespace) await forgetReadings(session);
  const isOther = before.served_as !== served_as;
  const ranked = await orderAnew(session, options.precedence, { position: before.position + 1, isOther });
  const head = {
    ...before,
    served_as,
    namespace: vocabulary.namespace,
    base_url: baseUrl,
    revision: before.revision + (looksDifferent ? 1 : 0),
    since: looksDifferent ? Math.max(now, before.since) : before.since,
  };
  // Another state begins: the first one, or one in which sources have other ranks.
  if (ranked.summaries || before.states === 0) {
    const begun = { ...head, position: head.position + 1 };
    await moveTo(session, { head: begun, summaries: (await stateIn(session)).summaries }, now);
  } else if (before.served_as !== served_as) moveHead(session, head);
}

interface OtherNode {
  readonly base_url: string;
}

/** Nobody joins an import, which joins nobody. @throws UnusableData */
async function join(session: Session, { node, holder }: DatabaseUser, baseUrl: string): Promise<void> {
  // Nodes that were seen in the future were seen before the clock of the database was set back; those that live sign again.
  await session.rows(
    `DELETE FROM registry.node
     WHERE seen < now() - $1 * interval '1 second' OR seen > now() + $1 * interval '1 second'`,
    [NODE_LIFETIME],
  );
  if (holder !== undefined) return takeClaim(session, holder);
  await refuseClaimed(session);
  await joinNodes(session, node, baseUrl);
}

/** All nodes on one database are one registry, so they have one address. */
async function joinNodes(session: Session, node: string, baseUrl: string): Promise<void> {
  const [other] = await session.rows<OtherNode>(
    'SELECT base_url FROM registry.node WHERE base_url <> $1 AND id <> $2 LIMIT 1',
    [baseUrl, node],
  );
  if (other) {
    throw new UnusableData(
      `The database is in use by the registry at ${other.base_url}, and this node's baseUrl is ${baseUrl}: nodes that share a database are one registry and have the same baseUrl; set it, or give REGISTRY_STORE_URL another database. Nodes that have stopped count for ${NODE_LIFETIME} seconds more`,
    );
  }
  await signNode(session, node, baseUrl);
}

/** Says that a node is there; one that was silent for long, and counted as gone, is there again. */
export async function signNode(session: Session, node: string, baseUrl: string): Promise<void> {
  await session.rows(
    `INSERT INTO registry.node (id, base_url, seen) VALUES ($1, $2, now())
     ON CONFLICT (id) DO UPDATE SET base_url = excluded.base_url, seen = excluded.seen`,
    [node, baseUrl],
  );
}

/** In another vocabulary, the same documents may say something else: they are read again. */
async function forgetReadings(session: Session): Promise<void> {
  const rows = await session.rows<{ id: number; record: string }>('SELECT id, record FROM registry.document');
  for (const some of portionsOf(rows)) {
    await session.rows(
      `UPDATE registry.document AS d SET record = n.record
       FROM unnest($1::bigint[], $2::text[]) AS n (id, record) WHERE d.id = n.id`,
      [
        some.map(({ id }) => id),
        some.map(({ record }) => JSON.stringify(unread(JSON.parse(record) as DocumentRecord))),
      ],
    );
  }
}
