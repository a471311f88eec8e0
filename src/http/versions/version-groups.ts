import type { Catalog, Page } from '../../catalog/catalog.js';
import { type Description, withMetadata } from '../../catalog/description.js';
import { newestFirst, versionGroup } from '../../component/versions.js';
import { grouped } from '../../lib/grouped.js';
import type { Pace } from '../../lib/pace.js';

export interface VersionGroup<D extends Description = Description> {
  /** The one that stands for all: the one that is marked as the latest, else the newest. */
  readonly head: D;
  /** All of them, the newest first. */
  readonly versions: readonly [D, ...D[]];
}

/** Names the component that it is a version of. */
export function groupOf(description: Description): string {
  return versionGroup(description.metadata, description);
}

/** Puts versions of one component together, in the order in which the components first occur. */
export function groupVersions<D extends Description>(
  descriptions: Iterable<D>,
  keyOf: (one: D) => string = groupOf,
): VersionGroup<D>[] {
  return [...grouped(descriptions, keyOf).values()].map((versions) => {
    const ordered = versions.length > 1 ? newestFirst(versions, versionOf) : versions;
    return { head: ordered.find(({ metadata }) => metadata.latest) ?? ordered[0], versions: ordered };
  });
}

/** A component among those that have its label. */
export interface Versions {
  /** Its versions, itself included, the newest first. */
  readonly versions: readonly Description[];
  /** The other components that have its name. */
  readonly others: readonly VersionGroup[];
}

/**
 * Components with one label that are looked through: from the same source for versions, and from anywhere for others. Of
 * each, `shown` are kept.
 */
const BOUNDS = { versions: 10_000, others: 1000, shown: 1000 } as const;

/**
 * The versions of a component, and the other components of its name. The two are looked for apart, so that nobody pushes
 * the versions out of sight by describing many components of the same name.
 */
export async function findVersions(entry: Description, catalog: Catalog, pace: Pace): Promise<Versions> {
  const { label, uri } = entry.metadata;
  const itself = withMetadata(entry);
  const own = groupOf(itself);
  const breathe = pace();
  const found = async (page: Page, isVersion: boolean): Promise<Description[]> => {
    const wanted: Description[] = [];
    for await (const slice of page.descriptions()) {
      for (const one of slice) {
        const read = wanted.length < BOUNDS.shown ? withMetadata(one) : undefined;
        if (read && read.metadata.uri !== uri && (groupOf(read) === own) === isVersion) wanted.push(read);
        await breathe();
      }
    }
    return wanted;
  };
  const versions = await catalog.page({ label, source: entry.source.url }, { limit: BOUNDS.versions });
  const all: [Description, ...Description[]] = [itself, ...(await found(versions, true))];
  const others = await catalog.page({ label }, { limit: BOUNDS.others });
  return { versions: newestFirst(all, versionOf), others: groupVersions(await found(others, false)) };
}

function versionOf({ metadata: { version } }: Description): string | undefined {
  return version;
}
