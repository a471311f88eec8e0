import { compareText } from '../../../lib/compare-text.js';
import { grouped } from '../../../lib/grouped.js';
import type { Transaction } from '../connection/transaction.js';
import { columnsOf, portionsOf } from '../portions-of.js';
import { COUNTED_KINDS } from '../terms.js';

const ROWS = 4_000;

/** A component under one of its terms. */
export interface Posting {
  readonly term: string;
  readonly uri: string;
}

/** A term that no component has any more is counted until the next start of a node. */
const COUNT_FEWER = `UPDATE registry.term_count AS c SET count = c.count - g.count
  FROM (SELECT term, count(*) AS count FROM gone GROUP BY term) AS g WHERE c.term = g.term`;
const COUNT_MORE = `INSERT INTO registry.term_count AS c (term, count)
  SELECT term, count(*) FROM added WHERE strpos($3, substr(term, 1, 1)) > 0 GROUP BY term ORDER BY term
  ON CONFLICT (term) DO UPDATE SET count = c.count + excluded.count`;

/** Of components that are served anew, or otherwise, or no longer; what is added in the order of the index. */
export function changePostings(
  transaction: Transaction,
  { added, removed }: Readonly<Record<'added' | 'removed', readonly Posting[]>>,
): void {
  for (const some of portionsOf(removed, ROWS)) {
    const gone = `DELETE FROM registry.posting AS p USING unnest($1::text[], $2::text[]) AS n (term, uri)
      WHERE p.term = n.term AND p.uri = n.uri RETURNING p.term`;
    transaction.later(COUNT_FEWER, () => columnsOf(some, 'term', 'uri'), {
      with: { name: 'gone', text: gone },
    });
  }
  for (const some of portionsOf(inOrder(added), ROWS)) {
    const text = `INSERT INTO registry.posting (term, uri)
      SELECT n.term, n.uri FROM unnest($1::text[], $2::text[]) AS n (term, uri) RETURNING term`;
    transaction.later(COUNT_MORE, () => [...columnsOf(some, 'term', 'uri'), COUNTED_KINDS], {
      with: { name: 'added', text },
    });
  }
}

/** By term first: there are many components to a term, and comparing the texts of all of them would take long. */
function inOrder(postings: readonly Posting[]): Posting[] {
  const lists = [...grouped(postings, ({ term }) => term)].sort(([one], [other]) => compareText(one, other));
  return lists.flatMap(([, same]) => same.sort((one, other) => compareText(one.uri, other.uri)));
}
