import type { SourceKind } from '../../../component/source.js';
import type { SourceSummary } from '../../../core/source-digests.js';
import type { Session } from '../connection/session.js';

interface LineRow {
  readonly kind: SourceKind;
  readonly url: string;
  readonly rank: number;
  readonly count: number;
  readonly digest: string;
  readonly position: number;
}

/** The sources that describe something. */
export async function readSummaries(session: Session): Promise<SourceSummary[]> {
  const rows = await session.rows<LineRow>(
    'SELECT kind, url, rank, count, digest, position FROM registry.source WHERE count > 0',
  );
  return rows.map(({ kind, url, ...summary }) => ({ source: { kind, url }, ...summary }));
}
