import type { Pin } from '../../../component/pin.js';
import { compareStandings } from '../../../core/precedence.js';
import type { Description } from '../../../registry/description.js';
import { only, type Session } from '../connection/session.js';
import { metadataOf } from '../payload.js';
import { STANDING_COLUMNS, type StandingColumns, standingOf } from '../standing-columns.js';
import type { Stamp } from './latest-reads.js';

/** A statement with who says it. */
export interface DescriptionRow extends StandingColumns {
  /** `orderKey` of the component's uri. */
  readonly uri: string;
  readonly payload: string;
  readonly since: number;
  /** As JSON. */
  readonly pin: string | null;
  readonly served: boolean;
}

/** The columns of a `DescriptionRow`, of a statement `s` with its document `d`. */
export const DESCRIPTION_COLUMNS = `s.uri, s.payload, coalesce(s.said_at, s.changed_at) AS since, s.pin, s.served,
  ${STANDING_COLUMNS}`;
export const DESCRIPTION_JOINS = 'JOIN registry.document AS d ON d.id = s.document';

export function descriptionOf(row: DescriptionRow): Description {
  const { payload, since, pin, served } = row;
  return {
    ...standingOf(row),
    metadata: metadataOf(payload),
    since,
    pin: pin === null ? undefined : (JSON.parse(pin) as Pin),
    isShadowed: served ? undefined : true,
  };
}

/** All that is said of the component with this key, and the version that it belongs to. */
export async function statementsOf(
  session: Session,
  key: string,
): Promise<Stamp & { readonly rows: readonly DescriptionRow[] }> {
  const rows = await session.rows<Stamp & (DescriptionRow | { readonly uri: null })>(
    `SELECT h.version, h.mark, x.* FROM registry.head AS h LEFT JOIN LATERAL (
       SELECT ${DESCRIPTION_COLUMNS} FROM registry.statement AS s ${DESCRIPTION_JOINS} WHERE s.uri = $1
     ) AS x ON true WHERE h.id = 1`,
    [key],
    'statements',
  );
  const { version, mark } = only(rows, 'head');
  return { version, mark, rows: rows.filter((row): row is Stamp & DescriptionRow => row.uri !== null) };
}

/** What is said of one component, the served statement first. */
export interface Component {
  /** `orderKey` of its uri. */
  readonly key: string;
  readonly rows: readonly DescriptionRow[];
}

/** Rows come component by component. */
export function componentsOf(rows: readonly DescriptionRow[]): Component[] {
  const components: { key: string; rows: DescriptionRow[] }[] = [];
  for (const row of rows) {
    const last = components.at(-1);
    if (last?.key === row.uri) last.rows.push(row);
    else components.push({ key: row.uri, rows: [row] });
  }
  for (const { rows } of components) {
    if (rows.length > 1) rows.sort((one, other) => compareStandings(standingOf(one), standingOf(other)));
  }
  return components;
}

/** Descriptions that are made of their rows at a time: so many take less than a millisecond. */
const SLICE = 100;

/** The descriptions of components, made as they are asked for. */
export async function* descriptionsOf(components: readonly Component[]): AsyncGenerator<Description[]> {
  const rows = components.flatMap((component) => component.rows);
  for (let at = 0; at < rows.length; at += SLICE) yield rows.slice(at, at + SLICE).map(descriptionOf);
}
