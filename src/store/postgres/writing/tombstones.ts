import { type Source, sourceKey } from '../../../component/source.js';
import { outlived, REMEMBERED_STATES, type Removal } from '../../../core/feed-window.js';
import { only } from '../connection/session.js';
import type { Transaction } from '../connection/transaction.js';
import { textHash } from '../order-key.js';
import { metadataOf } from '../payload.js';
import { portionsOf } from '../portions-of.js';
import type { Gone, Put } from './difference.js';
import type { Head } from './head.js';

const ROWS = 2_000;

interface Placed {
  readonly source: Source;
  /** Position of the commit's first change, less one. */
  readonly base: number;
  /** ms since the Unix epoch. */
  readonly at: number;
}

/** Remembers that statements are gone. */
export function bury(transaction: Transaction, gone: readonly Gone[], { source, base, at }: Placed): void {
  for (const some of portionsOf(gone)) {
    const uris = some.map(({ stored }) => metadataOf(stored.payload).uri);
    transaction.later(
      `INSERT INTO registry.tombstone (key, position, changed_at, kind, url, document, uri, full_uri)
       SELECT n.key, n.position, $1::bigint, $2::text, $3::text, n.document, n.uri, n.full_uri
       FROM unnest($4::text[], $5::bigint[], $6::text[], $7::text[], $8::text[])
         AS n (key, position, document, uri, full_uri)
       ON CONFLICT (key) DO UPDATE SET position = excluded.position, changed_at = excluded.changed_at`,
      [
        ...[at, source.kind, source.url],
        some.map(({ document, stored }) => keyOf(source, document, stored.uri)),
        some.map(({ offset }) => base + offset),
        some.map(({ document }) => document),
        some.map(({ stored }) => stored.uri),
        uris,
      ],
    );
  }
}

/** Keys under which it may be remembered that statements were removed that are there again. */
export function removalKeys(source: Source, puts: readonly Put[]): string[] {
  return puts.filter(({ isUpdate }) => !isUpdate).map(({ document, uri }) => keyOf(source, document, uri));
}

/** Forgets that statements were removed. */
export function revive(transaction: Transaction, keys: readonly string[]): void {
  for (const some of portionsOf(keys)) {
    const text = 'DELETE FROM registry.tombstone WHERE key = ANY($1)';
    transaction.later(text, [some]);
  }
}

/** Neither the URL of a source nor that of a document has a space. */
function keyOf(source: Source, document: string, uri: string): string {
  return textHash(`${sourceKey(source)} ${document} ${uri}`);
}

/** Notes the state that a commit leads to, and forgets what need not be remembered any more. */
export async function rememberState(
  transaction: Transaction,
  head: Head,
  { statements, now }: { readonly statements: number; readonly now: number },
): Promise<Head> {
  transaction.later('INSERT INTO registry.state (position, digest) VALUES ($1, $2)', [
    head.position,
    head.digest.slice(0, 8),
  ]);
  const buried = await withoutOutlived(transaction, head, { statements, now });
  return withoutOldStates(transaction, { ...buried, states: head.states + 1 });
}

async function withoutOutlived(
  transaction: Transaction,
  head: Head,
  { statements, now }: { readonly statements: number; readonly now: number },
): Promise<Head> {
  let { tombstones, floor } = head;
  // Nearly always nothing is to be forgotten, and the oldest removal tells, which was read with the head.
  const oldest = { position: 0, at: head.oldest_at ?? now };
  if (outlived([oldest], { count: tombstones, statements, now }).length === 0) return head;
  await transaction.flush();
  while (tombstones > 0) {
    const oldest = await transaction.rows<Removal & { position: number; at: number }>(
      'SELECT position, changed_at AS at FROM registry.tombstone ORDER BY position LIMIT $1',
      [ROWS],
    );
    const gone = outlived(oldest, { count: tombstones, statements, now });
    const last = gone.at(-1)?.position;
    if (last === undefined) break;
    await transaction.rows('DELETE FROM registry.tombstone WHERE position <= $1', [last]);
    tombstones -= gone.length;
    floor = Math.max(floor, last);
    if (gone.length < oldest.length) break;
  }
  return { ...head, tombstones, floor };
}

/** Once there are twice as many states as have to be remembered, half of them are forgotten. */
async function withoutOldStates(transaction: Transaction, head: Head): Promise<Head> {
  if (head.states <= 2 * REMEMBERED_STATES) return head;
  await transaction.flush();
  const rows = await transaction.rows<{ position: number }>(
    'SELECT position FROM registry.state ORDER BY position DESC OFFSET $1 LIMIT 1',
    [REMEMBERED_STATES],
  );
  const { position } = only(rows, 'former states');
  await transaction.rows('DELETE FROM registry.state WHERE position < $1', [position]);
  return { ...head, states: REMEMBERED_STATES + 1, floor: Math.max(head.floor, position) };
}
