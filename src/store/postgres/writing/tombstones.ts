import { type Source, sourceKey } from '../../../component/source.js';
import { outlived, REMEMBERED_STATES, type Removal } from '../../../core/feed-window.js';
import type { Session } from '../connection/session.js';
import { only } from '../connection/session.js';
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
export async function bury(
  session: Session,
  gone: readonly Gone[],
  { source, base, at }: Placed,
): Promise<void> {
  for (const some of portionsOf(gone, ROWS)) {
    const uris = some.map(({ stored }) => metadataOf(stored.payload).uri);
    await session.rows(
      `INSERT INTO registry.tombstone (key, position, changed_at, kind, url, document, uri, full_uri)
       SELECT n.key, n.position, $1, $2, $3, n.document, n.uri, n.full_uri
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

/** Forgets removals of statements that are there again; says how many. */
export async function revive(session: Session, source: Source, puts: readonly Put[]): Promise<number> {
  let revived = 0;
  for (const some of portionsOf(
    puts.filter(({ isUpdate }) => !isUpdate),
    ROWS,
  )) {
    const rows = await session.rows('DELETE FROM registry.tombstone WHERE key = ANY($1) RETURNING key', [
      some.map(({ document, uri }) => keyOf(source, document, uri)),
    ]);
    revived += rows.length;
  }
  return revived;
}

/** Neither the URL of a source nor that of a document has a space. */
function keyOf(source: Source, document: string, uri: string): string {
  return textHash(`${sourceKey(source)} ${document} ${uri}`);
}

/** Notes the state that a commit leads to, and forgets what need not be remembered any more. */
export async function rememberState(
  session: Session,
  head: Omit<Head, 'version'>,
  { statements, now }: { readonly statements: number; readonly now: number },
): Promise<Omit<Head, 'version'>> {
  await session.rows(
    'INSERT INTO registry.state (position, digest) VALUES ($1, $2)',
    [head.position, head.digest.slice(0, 8)],
    'insert-state',
  );
  const buried = await withoutOutlived(session, head, { statements, now });
  return withoutOldStates(session, { ...buried, states: head.states + 1 });
}

type Unversioned = Omit<Head, 'version'>;

async function withoutOutlived(
  session: Session,
  head: Unversioned,
  { statements, now }: { readonly statements: number; readonly now: number },
): Promise<Unversioned> {
  let { tombstones, floor } = head;
  // Nearly always nothing is to be forgotten, and the oldest removal tells.
  for (let most = 1; tombstones > 0; most = ROWS) {
    const oldest = await session.rows<Removal & { position: number; at: number }>(
      'SELECT position, changed_at AS at FROM registry.tombstone ORDER BY position LIMIT $1',
      [most],
    );
    const gone = outlived(oldest, { count: tombstones, statements, now });
    const last = gone.at(-1)?.position;
    if (last === undefined) break;
    await session.rows('DELETE FROM registry.tombstone WHERE position <= $1', [last]);
    tombstones -= gone.length;
    floor = Math.max(floor, last);
    if (gone.length < oldest.length) break;
  }
  return { ...head, tombstones, floor };
}

/** Once there are twice as many states as have to be remembered, half of them are forgotten. */
async function withoutOldStates(session: Session, head: Unversioned): Promise<Unversioned> {
  if (head.states <= 2 * REMEMBERED_STATES) return head;
  const rows = await session.rows<{ position: number }>(
    'SELECT position FROM registry.state ORDER BY position DESC OFFSET $1 LIMIT 1',
    [REMEMBERED_STATES],
  );
  const { position } = only(rows, 'former states');
  await session.rows('DELETE FROM registry.state WHERE position < $1', [position]);
  return { ...head, states: REMEMBERED_STATES + 1, floor: Math.max(head.floor, position) };
}
