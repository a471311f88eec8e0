import type { Pin } from '../../../component/pin.js';
import type { SourceKind } from '../../../component/source.js';
import { compareText } from '../../../lib/compare-text.js';
import type { Session } from '../connection/session.js';
import type { Transaction } from '../connection/transaction.js';
import { columnsOf, portionsOf } from '../portions-of.js';
import { STANDING_COLUMNS, type StandingColumns } from '../standing-columns.js';

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

/** These statements. */
export async function readNamed(
  session: Session,
  names: readonly StatementName[],
): Promise<StoredStatement[]> {
  const found: StoredStatement[] = [];
  for (const some of portionsOf(names)) {
    const rows = await session.rows<StoredStatement>(
      `SELECT s.uri, s.document, s.payload, s.served FROM unnest($1::text[], $2::bigint[]) AS n (uri, document)
       JOIN registry.statement AS s ON s.uri = n.uri AND s.document = n.document`,
      columnsOf(some, 'uri', 'document'),
    );
    for (const row of rows) found.push(row);
  }
  return found;
}

const BY_URI = `SELECT s.uri, s.document, s.payload, s.served, s.pin, r.kind, r.url AS source_url, ${STANDING_COLUMNS}
  FROM registry.statement AS s
  JOIN registry.document AS d ON d.id = s.document
  JOIN registry.source AS r ON r.id = s.source
  WHERE s.uri = ANY($1)`;

type RankedRow = Omit<RankedStatement, 'standing'> & StandingColumns;

/** All that anybody says of these components. */
export async function readByUri(session: Session, uris: readonly string[]): Promise<RankedStatement[]> {
  const found: RankedStatement[] = [];
  for (const some of portionsOf(uris))
    for (const row of await session.rows<RankedRow>(BY_URI, [some])) found.push({ ...row, standing: row });
  return found;
}

/** What a change of statements depends on, and what is changed with them. */
export interface Affected {
  /** All that anybody says of the components. */
  readonly statements: readonly RankedStatement[];
  /** Pins with these keys, as JSON. */
  readonly pins: readonly string[];
  /** Keys of the removals among these that are remembered. */
  readonly removals: readonly string[];
}

/** One statement for all three: its other rows have a null in the place of the document. */
const AFFECTED = `${BY_URI}
  UNION ALL SELECT 'pin', NULL, p.value, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
    FROM registry.pin AS p WHERE p.key = ANY($2)
  UNION ALL SELECT 'removal', NULL, t.key, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
    FROM registry.tombstone AS t WHERE t.key = ANY($3)`;

const AT_ONCE = 2_000;

export async function readAffected(
  session: Session,
  keys: Readonly<Record<'uris' | 'pins' | 'removals', readonly string[]>>,
): Promise<Affected> {
  const found = { statements: [] as RankedStatement[], pins: [] as string[], removals: [] as string[] };
  const most = Math.max(keys.uris.length, keys.pins.length, keys.removals.length);
  for (let at = 0; at < most; at += AT_ONCE) {
    const values = [keys.uris, keys.pins, keys.removals].map((all) => all.slice(at, at + AT_ONCE));
    type Row =
      | RankedRow
      | { readonly document: null; readonly uri: 'pin' | 'removal'; readonly payload: string };
    for (const row of await session.rows<Row>(AFFECTED, values)) {
      if (row.document !== null) found.statements.push({ ...row, standing: row });
      else found[row.uri === 'pin' ? 'pins' : 'removals'].push(row.payload);
    }
  }
  return found;
}

/** A statement that is stored anew, or replaced. */
export interface NewStatement {
  readonly uri: string;
  readonly document: number;
  readonly payload: string;
  readonly mark: string;
  readonly search: string;
  readonly position: number;
  readonly isUpdate: boolean;
  readonly served: boolean;
  /** What is to be seen of its pin, if there is one. */
  readonly pin: Pin | undefined;
}

/** In the order of uris, so that the index grows from one end of it to the other. */
export function putStatements(
  transaction: Transaction,
  { source, at }: { readonly source: number; readonly at: number },
  statements: readonly NewStatement[],
): void {
  const ordered = [...statements].sort((one, other) => compareText(one.uri, other.uri));
  const onConflict = statements.some(({ isUpdate }) => isUpdate) ? REPLACING : '';
  for (const some of portionsOf(ordered)) {
    transaction.later(
      `INSERT INTO registry.statement
         (uri, document, source, payload, mark, search, position, changed_at, is_update, served, pin)
       SELECT n.uri, n.document, $1::bigint, n.payload, n.mark, n.search, n.position, $2::bigint, n.is_update, n.served, n.pin
       FROM unnest($3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::bigint[], $9::boolean[],
           $10::boolean[], $11::text[])
         AS n (uri, document, payload, mark, search, position, is_update, served, pin)
       ${onConflict}`,
      () => [
        source,
        at,
        ...columnsOf(some, 'uri', 'document', 'payload', 'mark', 'search', 'position', 'isUpdate', 'served'),
        some.map(({ pin }) => (pin ? JSON.stringify(pin) : null)),
      ],
    );
  }
}

const REPLACING = `ON CONFLICT (uri, document) DO UPDATE SET payload = excluded.payload, mark = excluded.mark,
  search = excluded.search, position = excluded.position, changed_at = excluded.changed_at, is_update = excluded.is_update,
  served = excluded.served, pin = excluded.pin, said_at = NULL`;

type StatementName = Pick<StoredStatement, 'uri' | 'document'>;

export function removeStatements(transaction: Transaction, names: readonly StatementName[]): void {
  for (const some of portionsOf(names)) {
    transaction.later(
      `DELETE FROM registry.statement AS s USING unnest($1::text[], $2::bigint[]) AS n (uri, document)
       WHERE s.uri = n.uri AND s.document = n.document`,
      columnsOf(some, 'uri', 'document'),
    );
  }
}

/** Says of statements that stay whether they are served. */
export function markServed(
  transaction: Transaction,
  { promoted, shadowed }: Readonly<Record<'promoted' | 'shadowed', readonly StatementName[]>>,
): void {
  for (const some of portionsOf([...promoted, ...shadowed])) {
    const isServed = new Set(promoted);
    transaction.later(
      `UPDATE registry.statement AS s SET served = n.served
       FROM unnest($1::text[], $2::bigint[], $3::boolean[]) AS n (uri, document, served)
       WHERE s.uri = n.uri AND s.document = n.document`,
      [...columnsOf(some, 'uri', 'document'), some.map((one) => isServed.has(one))],
    );
  }
}
