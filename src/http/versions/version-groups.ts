import type { Description } from '../../catalog/description.js';
import { newestFirst, versionGroup } from '../../component/versions.js';
import { grouped } from '../../lib/grouped.js';

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
  return [...grouped(descriptions, keyOf).values()].map((versions) => groupTogether(versions));
}

/** Tells whether another description is one of a version of the same component. */
export function isVersionOf(entry: Description): (other: Description) => boolean {
  const own = groupOf(entry);
  return (other) => groupOf(other) === own;
}

/** A component among those that have its label. */
export interface Versions {
  /** Its versions, itself included, the newest first. */
  readonly versions: readonly Description[];
  /** The other components that have its name. */
  readonly others: readonly VersionGroup[];
}

export function versionsAmong(entry: Description, namesakes: readonly Description[]): Versions {
  const isVersion = isVersionOf(entry);
  const isItself = ({ metadata }: Description) => metadata.uri === entry.metadata.uri;
  const versions: [Description, ...Description[]] = [
    entry,
    ...namesakes.filter((one) => isVersion(one) && !isItself(one)),
  ];
  return {
    versions: newestFirst(versions, versionOf),
    others: groupVersions(namesakes.filter((one) => !isVersion(one) && !isItself(one))),
  };
}

function groupTogether<D extends Description>(versions: [D, ...D[]]): VersionGroup<D> {
  const ordered = versions.length > 1 ? newestFirst(versions, versionOf) : versions;
  return { head: standsFor(ordered) ?? versions[0], versions: ordered };
}

/** Of versions with the newest first, the one that stands for all: the one that is marked as the latest, else the newest. */
export function standsFor<D extends Description>(versions: readonly D[]): D | undefined {
  return versions.find(({ metadata }) => metadata.latest) ?? versions[0];
}

function versionOf({ metadata: { version } }: Description): string | undefined {
  return version;
}
