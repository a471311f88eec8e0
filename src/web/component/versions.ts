import semver from 'semver';
import { sourceKey } from '../../component/precedence.js';
import { compareText } from '../../lib/compare-text.js';
import type { Description } from '../../registry/description.js';

/** Descriptions that are versions of one component. */
export interface VersionGroup {
  /** The one that stands for all: the one that is marked as the latest, else the newest. */
  readonly head: Description;
  /** All of them, the newest first. */
  readonly versions: readonly [Description, ...Description[]];
}

/** When the latest of its versions was first seen as it is, ms since the Unix epoch. */
export function updatedAt({ versions }: VersionGroup): number {
  return versions.reduce((latest, { since }) => Math.max(latest, since), 0);
}

/**
 * What versions of one component have in common: their label, the origin of their modules, and the source that describes
 * them. Metadata does not say which components are versions of each other, and anybody can describe anything: what a
 * stranger calls the next version of somebody's component must not stand in its place.
 */
function versionKey({ metadata: { label, uri }, source }: Description): string {
  const origin = /^[a-z]+:\/\/[^/?#]*/i.exec(uri)?.[0].toLowerCase();
  return JSON.stringify([label, origin, sourceKey(source)]);
}

/** Puts versions of one component together, in the order in which the components first occur. */
export function groupVersions(descriptions: Iterable<Description>): VersionGroup[] {
  const groups = new Map<string, [Description, ...Description[]]>();
  for (const description of descriptions) {
    const key = versionKey(description);
    const group = groups.get(key);
    if (group) group.push(description);
    else groups.set(key, [description]);
  }
  return [...groups.values()].map(versionGroup);
}

/** The versions of a component among those with its label, the newest first, and the others that have its name. */
export function versionsAmong(
  entry: Description,
  namesakes: readonly Description[],
): { readonly versions: readonly Description[]; readonly others: readonly VersionGroup[] } {
  const own = versionKey(entry);
  const isVersion = (other: Description) => versionKey(other) === own;
  const isItself = ({ metadata }: Description) => metadata.uri === entry.metadata.uri;
  const versions: [Description, ...Description[]] = [
    entry,
    ...namesakes.filter((one) => isVersion(one) && !isItself(one)),
  ];
  return {
    versions: newestFirst(versions),
    others: groupVersions(namesakes.filter((one) => !isVersion(one) && !isItself(one))),
  };
}

function versionGroup(versions: [Description, ...Description[]]): VersionGroup {
  const ordered = versions.length > 1 ? newestFirst(versions) : versions;
  const [newest] = ordered;
  return { head: ordered.find(({ metadata }) => metadata.latest) ?? newest, versions: ordered };
}

/** Semantic versions by their order, then all other texts. */
function newestFirst(descriptions: [Description, ...Description[]]): [Description, ...Description[]] {
  const parsed = new Map(descriptions.map((one) => [one, semver.parse(one.metadata.version)]));
  return descriptions.sort((one, other) => {
    const [left, right] = [parsed.get(one), parsed.get(other)];
    if (left && right) return right.compare(left);
    if (left || right) return left ? -1 : 1;
    return compareText(other.metadata.version ?? '', one.metadata.version ?? '');
  });
}
