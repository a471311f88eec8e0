import type { Query } from '../../../component/query.js';
import type { Description } from '../../../registry/description.js';
import type { Session } from '../connection/session.js';
import { countOf, firstOf, READABLE } from './counting.js';
import { DESCRIPTION_COLUMNS, DESCRIPTION_JOINS, type DescriptionRow, descriptionOf } from './rows.js';
import { selectionOf } from './selection.js';
import type { Selection } from './selection-builder.js';

/** The latest changes, among which is looked for the newest of very many matches. */
const LATEST = 10_000;

/** See `Catalog`. */
export async function newestOf(
  session: Session,
  {
    query,
    count,
    areWordsIndexed,
  }: { readonly query: Query; readonly count: number; readonly areWordsIndexed: boolean },
): Promise<Description[]> {
  const selection = await selectionOf(session, query, areWordsIndexed);
  if (!selection) return [];
  const { total, isTotalCapped = false } = await countOf(session, selection);
  const found = isTotalCapped || total > READABLE ? amongLatest(selection) : amongAll(selection);
  const values = [...selection.values, count];
  const rows = await session.rows<DescriptionRow>(`${found} LIMIT $${values.length}`, values);
  return rows.map(descriptionOf).sort((one, other) => other.since - one.since);
}

/** Backwards through the feed, in which a pin that has changed is news, too. */
function amongLatest({ from, where, filters }: Selection): string {
  return `SELECT ${DESCRIPTION_COLUMNS} FROM (
      SELECT uri, document, position FROM registry.statement ORDER BY position DESC LIMIT ${LATEST}
    ) AS r CROSS JOIN LATERAL (
      SELECT s.* FROM ${from} WHERE ${[...where, ...filters].join(' AND ')} AND s.uri = r.uri AND s.document = r.document LIMIT 1
    ) AS s ${DESCRIPTION_JOINS} ORDER BY r.position DESC`;
}

function amongAll(selection: Selection): string {
  return `SELECT ${DESCRIPTION_COLUMNS} FROM (${firstOf(selection, READABLE)}) AS s ${DESCRIPTION_JOINS} ORDER BY since DESC`;
}
