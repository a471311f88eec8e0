import type { Metadata } from '../../../component/metadata.js';
import type { Pin } from '../../../component/pin.js';
import { searchText } from '../../../component/search-text.js';
import type { SourceKind } from '../../../component/source.js';
import { compareText } from '../../../lib/compare-text.js';
import type { Session } from '../connection/session.js';
import { payloadMark } from '../payload.js';
import { portionsOf } from '../portions-of.js';
import { STANDING_COLUMNS, type StandingColumns } from '../standing-columns.js';
import { COUNTED_KINDS } from '../terms.js';

/** Rows that one statement of SQL reads or writes: enough that the way to the server and back hardly counts. */
const ROWS = 2_000;

/** What a document says of a component, as it is stored. `uri` is the `orderKey` of the component's. */
export interface StoredStatement {
  readonly uri: string;
  readonly document: number;
  readonly payload: string;
  readonly served: boolean;
}

/** The same with who says it, for deciding who is served. */
export interface RankedStatement extends StoredStatement {
  /** The source of which it is stored. */
  readonly kind: SourceKind;
  readonly source_url: string;
  /** What readers see of its pin, as JSON. */
  readonly pin: string | null;
  readonly standing: StandingColumns;
}

/** All that these documents say. */
export async function readByDocument(
  session: Session,
  documents: readonly number[],
): Promise<StoredStatement[]> {
  if (documents.length === 0) return [];
  return session.rows<StoredStatement>(
    'SELECT uri, document, payload, served FROM registry.statement WHERE document = ANY($1)',
    [documents],
  );
}

/** What one document says of these components. */
export async function readAmended(
  session: Session,
  document: number,
  uris: readonly string[],
): Promise<StoredStatement[]> {
  const found: StoredStatement[] = [];
  for (const some of portionsOf(uris, ROWS)) {
    found.push(
      ...(await session.rows<StoredStatement>(
        'SELECT uri, document, payload, served FROM registry.statement WHERE document = $1 AND uri = ANY($2)',
        [document, some],
      )),
    );
  }
  return found;
}

/** These statements, and whether they have a mark. */
export async function readNamed(
  session: Session,
  names: readonly StatementName[],
): Promise<(StoredStatement & { readonly is_marked: boolean })[]> {
  const found: (StoredStatement & { readonly is_marked: boolean })[] = [];
  for (const some of portionsOf(names, ROWS)) {
    const rows = await session.rows<StoredStatement & { readonly is_marked: boolean }>(
      `SELECT s.uri, s.document, s.payload, s.served, s.mark IS NOT NULL AS is_marked
       FROM unnest($1::text[], $2::bigint[]) AS n (uri, document)
       JOIN registry.statement AS s ON s.uri = n.uri AND s.document = n.document`,
      [some.map(({ uri }) => uri), some.map(({ document }) => document)],
    );
    for (const row of rows) found.push(row);
  }
  return found;
}

/** All that anybody says of these components. */
export async function readByUri(session: Session, uris: readonly string[]): Promise<RankedStatement[]> {
  const found: RankedStatement[] = [];
  for (const some of portionsOf(uris, ROWS)) {
    const rows = await session.rows<Omit<RankedStatement, 'standing'> & StandingColumns>(
      `SELECT s.uri, s.document, s.payload, s.served, s.pin, r.kind, r.url AS source_url, ${STANDING_COLUMNS}
       FROM registry.statement AS s
       JOIN registry.document AS d ON d.id = s.document
       JOIN registry.source AS r ON r.id = s.source
       WHERE s.uri = ANY($1)`,
      [some],
    );
    for (const row of rows) found.push({ ...row, standing: row });
  }
  return found;
}

/** A statement that is stored anew, or replaced. */
export interface NewStatement {
  readonly uri: string;
  readonly document: number;
  readonly metadata: Metadata;
  readonly payload: string;
  readonly position: number;
  readonly isUpdate: boolean;
  readonly served: boolean;
  /** What is to be seen of its pin, if there is one. */
  readonly pin: Pin | undefined;
}

/** In the order of uris, so that the index grows from one end of it to the other. */
export async function putStatements(
  session: Session,
  placed: { readonly source: number; readonly at: number },
  statements: readonly NewStatement[],
): Promise<void> {
  const ordered = [...statements].sort((one, other) => compareText(one.uri, other.uri));
  const isKnown = ({ isUpdate }: NewStatement) => isUpdate;
  await insertStatements(
    session,
    placed,
    ordered.filter((one) => !isKnown(one)),
    '',
  );
  await insertStatements(session, placed, ordered.filter(isKnown), REPLACING);
}

const REPLACING = `ON CONFLICT (uri, document) DO UPDATE SET payload = excluded.payload, mark = excluded.mark,
  search = excluded.search, position = excluded.position, changed_at = excluded.changed_at, is_update = excluded.is_update,
  served = excluded.served, pin = excluded.pin, said_at = NULL`;

async function insertStatements(
  session: Session,
  { source, at }: { readonly source: number; readonly at: number },
  statements: readonly NewStatement[],
  onConflict: string,
): Promise<void> {
  for (const some of portionsOf(statements, ROWS)) {
    await session.rows(
      `INSERT INTO registry.statement
         (uri, document, source, payload, mark, search, position, changed_at, is_update, served, pin)
       SELECT n.uri, n.document, $1, n.payload, n.mark, n.search, n.position, $2, n.is_update, n.served, n.pin
       FROM unnest($3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::bigint[], $9::boolean[],
           $10::boolean[], $11::text[])
         AS n (uri, document, payload, mark, search, position, is_update, served, pin)
       ${onConflict}`,
      [
        source,
        at,
        some.map(({ uri }) => uri),
        some.map(({ document }) => document),
        some.map(({ payload }) => payload),
        some.map(({ metadata }) => payloadMark(metadata)),
        some.map(({ metadata }) => searchText(metadata)),
        some.map(({ position }) => position),
        some.map(({ isUpdate }) => isUpdate),
        some.map(({ served }) => served),
        some.map(({ pin }) => (pin ? JSON.stringify(pin) : null)),
      ],
    );
  }
}

type StatementName = Pick<StoredStatement, 'uri' | 'document'>;

export async function removeStatements(session: Session, names: readonly StatementName[]): Promise<void> {
  for (const some of portionsOf(names, ROWS)) {
    await session.rows(
      `DELETE FROM registry.statement AS s USING unnest($1::text[], $2::bigint[]) AS n (uri, document)
       WHERE s.uri = n.uri AND s.document = n.document`,
      [some.map(({ uri }) => uri), some.map(({ document }) => document)],
    );
  }
}

/** Says of statements that stay whether they are served. */
export async function markServed(
  session: Session,
  names: readonly StatementName[],
  served: boolean,
): Promise<void> {
  for (const some of portionsOf(names, ROWS)) {
    await session.rows(
      `UPDATE registry.statement AS s SET served = $3 FROM unnest($1::text[], $2::bigint[]) AS n (uri, document)
       WHERE s.uri = n.uri AND s.document = n.document`,
      [some.map(({ uri }) => uri), some.map(({ document }) => document), served],
    );
  }
}

/** A component under one of its terms. */
export interface Posting {
  readonly term: string;
  readonly uri: string;
}

/** Of components that are served anew; in the order of the index. */
export async function addPostings(session: Session, postings: readonly Posting[]): Promise<void> {
  for (const some of portionsOf(inOrder(postings), 2 * ROWS)) {
    await session.rows(
      `WITH added AS (
         INSERT INTO registry.posting (term, uri)
         SELECT n.term, n.uri FROM unnest($1::text[], $2::text[]) AS n (term, uri) RETURNING term
       )
       INSERT INTO registry.term_count AS c (term, count)
       SELECT term, count(*) FROM added WHERE strpos($3, substr(term, 1, 1)) > 0 GROUP BY term ORDER BY term
       ON CONFLICT (term) DO UPDATE SET count = c.count + excluded.count`,
      [some.map(({ term }) => term), some.map(({ uri }) => uri), COUNTED_KINDS],
    );
  }
}

/** By term first: there are many components to a term, and comparing the texts of all of them would take long. */
function inOrder(postings: readonly Posting[]): Posting[] {
  const byTerm = new Map<string, Posting[]>();
  for (const posting of postings) {
    const same = byTerm.get(posting.term);
    if (same) same.push(posting);
    else byTerm.set(posting.term, [posting]);
  }
  const lists = [...byTerm].sort(([one], [other]) => compareText(one, other));
  return lists.flatMap(([, same]) => same.sort((one, other) => compareText(one.uri, other.uri)));
}

export async function removePostings(session: Session, postings: readonly Posting[]): Promise<void> {
  for (const some of portionsOf(postings, 2 * ROWS)) {
    const counted = await session.rows<{ term: string; count: number }>(
      `WITH gone AS (
         DELETE FROM registry.posting AS p USING unnest($1::text[], $2::text[]) AS n (term, uri)
         WHERE p.term = n.term AND p.uri = n.uri RETURNING p.term
       )
       UPDATE registry.term_count AS c SET count = c.count - g.count
       FROM (SELECT term, count(*) AS count FROM gone GROUP BY term) AS g
       WHERE c.term = g.term RETURNING c.term, c.count`,
      [some.map(({ term }) => term), some.map(({ uri }) => uri)],
    );
    const unused = counted.filter(({ count }) => count <= 0).map(({ term }) => term);
    if (unused.length > 0)
      await session.rows('DELETE FROM registry.term_count WHERE term = ANY($1)', [unused]);
  }
}
