import type { SourceKind } from '../../../component/source.js';
import type { Precedence } from '../../../core/precedence.js';
import type { DocumentRecord } from '../../../registry/document-record.js';
import type { Session } from '../connection/session.js';
import type { Transaction } from '../connection/transaction.js';
import { columnsOf, portionsOf } from '../portions-of.js';
import { changePostings } from './postings.js';
import { decideServed } from './served.js';
import { markServed, readByUri } from './statements.js';
import { countServed, placeDocuments } from './stored-documents.js';

interface SourceRow {
  readonly id: number;
  readonly kind: SourceKind;
  readonly url: string;
  readonly rank: number;
  readonly count: number;
}

interface DocumentRow {
  readonly id: number;
  readonly url: string;
  readonly record: string;
}

const URIS = 1_000;

/**
 * Orders everything as the configuration of this node wants it. Says whether a summary of the feed has changed with that.
 * @param isOther may the configuration, or the release, be another one than at the last start?
 */
export async function orderAnew(
  session: Transaction,
  precedence: Precedence,
  { position, isOther }: { readonly position: number; readonly isOther: boolean },
): Promise<{ readonly summaries: boolean }> {
  const sources = await session.rows<SourceRow>(
    'SELECT id, kind, url, rank, count FROM registry.source ORDER BY id FOR UPDATE',
  );
  const ranked = sources
    .map((row) => ({ ...row, before: row.rank, rank: precedence.rank(row) }))
    .filter(({ before, rank }) => before !== rank);
  if (ranked.length === 0 && !isOther) return { summaries: false };
  await session.rows(
    `UPDATE registry.source AS r SET rank = n.rank, position = CASE WHEN r.count > 0 THEN $3 ELSE r.position END
     FROM unnest($1::bigint[], $2::bigint[]) AS n (id, rank) WHERE r.id = n.id`,
    [...columnsOf(ranked, 'id', 'rank'), position],
  );
  for (const { id, kind, url } of sources) await placeAll(session, precedence, { id, kind, url });
  await serveAnew(session);
  return { summaries: ranked.some(({ count }) => count > 0) };
}

/** Works out anew where the documents of a source stand. */
async function placeAll(
  session: Session,
  precedence: Precedence,
  { id: source, ...of }: Pick<SourceRow, 'id' | 'kind' | 'url'>,
): Promise<void> {
  const rows = await session.rows<DocumentRow>(
    'SELECT id, url, record FROM registry.document WHERE source = $1 ORDER BY id',
    [source],
  );
  for (const some of portionsOf(rows)) {
    const placed = some.map(({ id, url, record }) => {
      const { authority } = JSON.parse(record) as DocumentRecord;
      return { id, standing: precedence.standing({ source: of, document: url, authority }) };
    });
    await placeDocuments(session, placed);
  }
}

/** Decides anew of every component that several documents describe: all but one of its statements are shadowed. */
async function serveAnew(session: Transaction): Promise<void> {
  const rows = await session.rows<{ uri: string }>(
    'SELECT DISTINCT uri FROM registry.statement WHERE NOT served',
  );
  for (const some of portionsOf(rows, URIS)) {
    const before = await readByUri(
      session,
      some.map(({ uri }) => uri),
    );
    const change = decideServed({ before, leaving: new Set(), coming: [] });
    markServed(session, change);
    changePostings(session, change);
    countServed(session, change.documents);
    await session.flush();
  }
}
