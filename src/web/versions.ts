import { compareVersions } from '../component/versions.js';
import type { Description } from '../registry/description.js';

/**
 * The versions of one component among those with its label, the newest first. Metadata does not say which components
 * are versions of each other: those with the same label, and the same origin or a common author, count as versions.
 */
export function versionsOf(entry: Description, candidates: Iterable<Description>): Description[] {
  const same = [...candidates].filter(
    (other) => other.metadata.uri === entry.metadata.uri || isVersionOf(other, entry),
  );
  return same.sort((one, other) => compareVersions(other.metadata.version, one.metadata.version));
}

function isVersionOf({ metadata: one }: Description, { metadata: other }: Description): boolean {
  if (one.label !== other.label) return false;
  const shared = one.author.some((author) => other.author.includes(author));
  return shared || originOf(one.uri) === originOf(other.uri);
}

function originOf(uri: string): string {
  return new URL(uri).origin;
}
