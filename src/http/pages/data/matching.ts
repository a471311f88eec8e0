import { indexedValues } from '../../../component/canonical-shape.js';
import { shapeName } from '../../../component/shape-names.js';
import { STARTER } from '../../../component/source.js';
import { compareText } from '../../../lib/compare-text.js';
import type { Description } from '../../../registry/description.js';
import { groupVersions, type VersionGroup } from '../../versions/version-groups.js';

/** A component that renders data of some shapes. */
export interface Match {
  readonly group: VersionGroup;
  /** Why it stands where it stands, the weightiest reason first. */
  readonly reasons: readonly string[];
}

/**
 * Ranks components for data of some shapes, the telling ones first: those that render more of them, then those that the operator's own sources
 * describe, then those that are not known to be outdated, then by name.
 */
export function rankMatches(candidates: Iterable<Description>, shapes: readonly string[]): Match[] {
  const ranked = groupVersions(candidates).map((group) => ({ group, ...rankOf(group, shapes) }));
  ranked.sort(
    (one, other) =>
      other.rendered.length - one.rendered.length ||
      Number(other.isOwn) - Number(one.isOwn) ||
      other.currency - one.currency ||
      compareText(labelOf(one.group), labelOf(other.group)),
  );
  return ranked.map(({ group, rendered, isOwn }) => ({
    group,
    reasons: [coverage(rendered, shapes), versionReason(group), sourceReason(group, isOwn)].filter(
      (reason) => reason !== '',
    ),
  }));
}

function rankOf({ head }: VersionGroup, shapes: readonly string[]) {
  const { latest } = head.metadata;
  const known = indexedValues(head.metadata, 'shapes');
  return {
    rendered: shapes.filter((shape) => known.includes(shape)),
    isOwn: head.trust !== 'learned',
    currency: latest === undefined ? 0 : latest ? 1 : -1,
  };
}

function coverage(rendered: readonly string[], shapes: readonly string[]): string {
  const names = listed(rendered.map(shapeName));
  if (shapes.length === 1) return `renders ${names}`;
  if (rendered.length === shapes.length) return `renders ${names}: all that it is`;
  return `renders ${names}: ${rendered.length} of its ${shapes.length} shapes`;
}

function versionReason({ head: { metadata }, versions }: VersionGroup): string {
  if (metadata.latest === false) return 'its author says that it is not the latest version';
  if (metadata.latest) return 'its latest version';
  return versions.length > 1 ? `the newest of ${versions.length} versions` : '';
}

function sourceReason({ head: { source } }: VersionGroup, isOwn: boolean): string {
  if (source.kind === 'sample')
    return `${source.url === STARTER.url ? 'in the starter set' : 'a sample'} that comes with this node`;
  return isOwn
    ? 'described by a source that this node was told to trust'
    : 'described by a source that other nodes know';
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

function labelOf({ head }: VersionGroup): string {
  return head.metadata.label;
}
