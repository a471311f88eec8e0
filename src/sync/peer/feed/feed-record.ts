import type { RepairCount } from '../../../explain/poll-report.js';
import type { Following, SourceRecord } from '../../../registry/source-record.js';
import { type RefusedSources, union, withRefused } from '../../refused-graphs.js';

/** What a poll had to do beside reading what has changed. */
export interface Effort {
  readonly repairs?: RepairCount;
  /** Why something was read again. */
  readonly why?: string;
  /** Polls in a row in which the peer has not known the state that it had named itself. */
  readonly forgotten?: number;
}

/** How a peer is followed after a poll of its feed. */
export function followingAfter(
  before: Following | undefined,
  { repairs, why }: Effort,
  { now, unverified }: { readonly now: number; readonly unverified: number },
): Following {
  const known = before?.by === 'feed' ? before : undefined;
  const count = (known?.repairs ?? 0) + (repairs?.source ?? 0) + (repairs?.whole ?? 0);
  const lastRepair = why === undefined ? known?.lastRepair : { at: now, why };
  return {
    by: 'feed',
    since: known?.since ?? now,
    repairs: count || undefined,
    lastRepair,
    unverified: unverified || undefined,
  };
}

/**
 * The pods because of which something of the peer's sources is not accepted, after a poll that found `found`. What others
 * have noted while the poll went on stays noted.
 */
export function refusedAfter(
  found: ReadonlyMap<string, ReadonlySet<string>>,
  before: SourceRecord | undefined,
  now: SourceRecord,
): RefusedSources {
  const noted = Object.entries(now.refused ?? {}).map(([of, pods]): [string, string[]] => {
    const known = before?.refused?.[of] ?? [];
    return [of, pods.filter((pod) => !known.includes(pod))];
  });
  return withRefused(
    withRefused({}, found),
    noted.filter(([, pods]) => pods.length > 0),
  );
}

/** All these pods. */
export function podsIn(refused: RefusedSources): readonly string[] {
  return union(Object.values(refused).flat(), []);
}
