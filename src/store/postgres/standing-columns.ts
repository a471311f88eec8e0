import type { SourceKind, SourceTrust } from '../../component/source.js';
import type { Standing, StatementClass } from '../../core/precedence.js';

/** Where what a document says stands, as it is kept with the document. */
export interface StandingColumns {
  readonly rank: number;
  readonly said_kind: SourceKind;
  readonly said_by: string;
  readonly name: string;
  readonly class: StatementClass;
  readonly trust: SourceTrust;
}

/** Of a document `d`. */
export const STANDING_COLUMNS = 'd.rank, d.said_kind, d.said_by, d.name, d.class, d.trust';

export function standingOf({ rank, said_kind, said_by, name, trust, ...row }: StandingColumns): Standing {
  return { source: { kind: said_kind, url: said_by }, document: name, trust, class: row.class, rank };
}
