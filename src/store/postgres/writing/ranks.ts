import type { Precedence, SourceKind } from '../../../component/precedence.js';
import type { Session } from '../connection/session.js';
import { portionsOf } from '../portions-of.js';
import { decideServed } from './served.js';
import { addPostings, markServed, readByUri, removePostings } from './statements.js';

interface RankRow {
  readonly id: number;
  readonly kind: SourceKind;
  readonly url: string;
  readonly rank: number;
  readonly count: number;
}

const URIS = 1_000;

/** Gives sources the ranks that the configuration of this node wants. Says whether a line of the feed has changed with that. */
export async function rankSources(
  session: Session,
  precedence: Precedence,
  position: number,
): Promise<{ readonly lines: boolean }> {
  const rows = await session.rows<RankRow>(
    'SELECT id, kind, url, rank, count FROM registry.source ORDER BY id FOR UPDATE',
  );
  const ranked = rows
    .map(({ kind, url, ...row }) => ({ ...row, before: row.rank, rank: precedence.rank({ kind, url }) }))
    .filter(({ before, rank }) => before !== rank);
  if (ranked.length === 0) return { lines: false };
  await session.rows(
    `UPDATE registry.source AS r SET rank = n.rank, position = CASE WHEN r.count > 0 THEN $3 ELSE r.position END
     FROM unnest($1::bigint[], $2::bigint[]) AS n (id, rank) WHERE r.id = n.id`,
    [ranked.map(({ id }) => id), ranked.map(({ rank }) => rank), position],
  );
  await serveAnew(session, precedence);
  return { lines: ranked.some(({ count }) => count > 0) };
}

/** Decides anew of every component that several documents describe. */
async function serveAnew(session: Session, precedence: Precedence): Promise<void> {
  const rows = await session.rows<{ uri: string }>(
    'SELECT uri FROM registry.statement GROUP BY uri HAVING count(*) > 1',
  );
  for (const some of portionsOf(rows, URIS)) {
    const before = await readByUri(
      session,
      some.map(({ uri }) => uri),
    );
    const change = decideServed({ precedence, before, leaving: new Set(), coming: [] });
    await markServed(session, change.shadowed, false);
    await markServed(session, change.promoted, true);
    await removePostings(session, change.removed);
    await addPostings(session, change.added);
  }
}
