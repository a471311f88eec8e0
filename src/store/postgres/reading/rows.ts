import type { Pin } from '../../../component/pin.js';
import { compareStandings } from '../../../core/precedence.js';
import type { Description } from '../../../registry/description.js';
import { metadataOf } from '../payload.js';
import { STANDING_COLUMNS, type StandingColumns, standingOf } from '../standing-columns.js';

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

function descriptionOf(row: DescriptionRow): Description {
  const { payload, since, pin, served } = row;
  return {
    ...{ ...standingOf(row), metadata: metadataOf(payload), since },
    ...(pin === null ? {} : { pin: JSON.parse(pin) as Pin }),
    ...(served ? {} : { isShadowed: true as const }),
  };
}

/** The descriptions of one component, the served one first. */
export interface Component {
  /** `orderKey` of its uri. */
  readonly key: string;
  readonly descriptions: readonly Description[];
}

/** Rows come component by component. */
export function componentsOf(rows: readonly DescriptionRow[]): Component[] {
  const components: { key: string; descriptions: Description[] }[] = [];
  for (const row of rows) {
    const last = components.at(-1);
    if (last?.key === row.uri) last.descriptions.push(descriptionOf(row));
    else components.push({ key: row.uri, descriptions: [descriptionOf(row)] });
  }
  for (const { descriptions } of components) descriptions.sort(compareStandings);
  return components;
}
