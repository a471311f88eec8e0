import type { Catalog } from '../../catalog/catalog.js';
import { LatestCheck, type LatestFault, versionGroup } from '../../component/versions.js';
import { type Clock, elapsed } from '../../lib/clock.js';
import type { Pace } from '../../lib/pace.js';

export interface VersionNotices {
  /** Some of the components of which several versions say that they are the latest, or none does. */
  readonly notices: readonly LatestFault[];
  /** How many there are beside them. */
  readonly others: number;
}

/** How many components are named. */
const NAMED = 20;
/** So many components are looked through at once; of more, the result is kept for a while although they change. */
const FEW = 2000;
/** More components than this are not looked through: what is remembered of each would take too much memory together. */
const MOST = 200_000;
/** How long it is kept then, in ms: looking through 100,000 takes about half a second of a core. */
const KEPT_MS = 60_000;

/** The notices about what a catalog serves. Undefined for more components than are looked through. */
export type VersionNoticesOf = (catalog: Catalog) => Promise<VersionNotices | undefined>;

/**
 * Looks through all components that are served, with pauses for other requests, and keeps the result while nothing changes.
 * Requests that come meanwhile share one pass.
 */
export function createVersionNotices(clock: Clock, pace: Pace): VersionNoticesOf {
  let latest: { revision: number; at: number; notices: VersionNotices } | undefined;
  let pass: Promise<VersionNotices> | undefined;
  const lookThrough = async (catalog: Catalog, revision: number): Promise<VersionNotices> => {
    try {
      const notices = await noticesOf(catalog, pace);
      latest = { revision, at: clock.now(), notices };
      return notices;
    } finally {
      pass = undefined;
    }
  };
  return async (catalog) => {
    const { revision, components } = await catalog.state();
    if (components > MOST) return undefined;
    const isRecent = components > FEW && latest !== undefined && elapsed(latest.at, clock.now()) < KEPT_MS;
    if (latest && (isRecent || latest.revision === revision.number)) return latest.notices;
    pass ??= lookThrough(catalog, revision.number);
    return pass;
  };
}

async function noticesOf(catalog: Catalog, pace: Pace): Promise<VersionNotices> {
  const breathe = pace();
  const check = new LatestCheck();
  const page = await catalog.page({});
  for await (const slice of page.descriptions()) {
    for (const description of slice) {
      const { metadata } = description;
      check.add(versionGroup(metadata, description), metadata);
      await breathe();
    }
  }
  const notices: LatestFault[] = [];
  let others = 0;
  for (const fault of check.faults()) {
    if (notices.length < NAMED) notices.push(fault);
    else others += 1;
    await breathe();
  }
  return { notices, others };
}
