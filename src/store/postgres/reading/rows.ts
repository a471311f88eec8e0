import type { Pin } from '../../../component/pin.js';
import type { Precedence, Source, SourceKind } from '../../../component/precedence.js';
import { trustOf } from '../../../component/source-trust.js';
import { compareText } from '../../../lib/compare-text.js';
import type { Description } from '../../../registry/description.js';
import { metadataOf } from '../payload.js';

/** A statement with who says it. */
export interface DescriptionRow {
  /** `orderKey` of the component's uri. */
  readonly uri: string;
  readonly payload: string;
  readonly since: number;
  readonly document: string;
  readonly kind: SourceKind;
  readonly url: string;
  /** As JSON. */
  readonly pin: string | null;
  readonly served: boolean;
}

/** The columns of a `DescriptionRow`, of a statement `s` with its document `d` and its source `r`. */
export const DESCRIPTION_COLUMNS =
  's.uri, s.payload, coalesce(s.said_at, s.changed_at) AS since, d.url AS document, r.kind, r.url, s.pin, s.served';
export const DESCRIPTION_JOINS = `JOIN registry.document AS d ON d.id = s.document
  JOIN registry.source AS r ON r.id = s.source`;

export function descriptionOf(
  { payload, since, document, kind, url, pin, served }: DescriptionRow,
  precedence: Precedence,
): Description {
  const source: Source = { kind, url };
  const trust = trustOf(source, document, precedence);
  return {
    ...{ source, document, metadata: metadataOf(payload), trust, since },
    ...(pin === null ? {} : { pin: JSON.parse(pin) as Pin }),
    ...(served ? {} : { isShadowed: true as const }),
  };
}

/** The same with the rank of the document among those of its source. */
export interface RankedRow extends DescriptionRow {
  readonly rank: number;
}

/** The descriptions of each component, the served one first: rows come component by component. */
export function grouped(rows: readonly RankedRow[], precedence: Precedence): DescriptionRow[][] {
  const groups: RankedRow[][] = [];
  for (const row of rows) {
    const last = groups.at(-1);
    if (last?.[0]?.uri === row.uri) last.push(row);
    else groups.push([row]);
  }
  for (const group of groups) group.sort((one, other) => compareRows(one, other, precedence));
  return groups;
}

function compareRows(one: RankedRow, other: RankedRow, precedence: Precedence): number {
  return precedence.compare(one, other) || one.rank - other.rank || compareText(one.document, other.document);
}
