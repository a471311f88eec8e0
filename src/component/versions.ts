import parseVersion from 'semver/functions/parse.js';
import { compareText } from '../lib/compare-text.js';
import { grouped } from '../lib/grouped.js';
import type { Metadata } from './metadata.js';
import { graphTaken } from './provenance.js';
import { type Source, sourceKey } from './source.js';

/**
 * Names the component that a description is a version of. Metadata does not say which components are versions of each other:
 * those count as such that have the same label and come from the same source and container. What was posted to a node may be
 * anybody's: there, the modules must have one publisher, too. So nobody can make a component of his the next version of
 * somebody else's.
 * `document`: the URL of what describes it, or the name of the graph.
 */
export function versionGroup(
  { label, uri }: Pick<Metadata, 'label' | 'uri'>,
  { source, document }: { readonly source: Source; readonly document: string },
): string {
  const written = graphTaken(document) ?? document;
  const container = /^https?:/i.test(written)
    ? written.slice(0, written.lastIndexOf('/') + 1)
    : `${written} ${publisherOf(uri)}`;
  return `${sourceKey(source)} ${container} ${label}`;
}

/**
 * Who publishes a module: its origin. Where the path has a name with a version, as on servers that everybody can publish on
 * (`https://cdn.example/npm/@ann/card@1.0.0/card.js`), the name belongs to it.
 */
function publisherOf(uri: string): string {
  const { origin, pathname } = new URL(uri);
  const name = pathname.search(/[^/]@/);
  return name < 0 ? origin : origin + pathname.slice(0, name + 1);
}

/** Below zero when the first version is older. What is no semantic version is older than all that are. */
export function compareVersions(one: string | undefined, other: string | undefined): number {
  return compareParsed(parsed(one), parsed(other));
}

/** Sorts a list in place, the newest version first. Each version is read once, however many there are. */
export function newestFirst<T extends unknown[]>(
  list: T,
  versionOf: (item: T[number]) => string | undefined,
): T {
  const versions = new Map<unknown, ParsedVersion>(list.map((item) => [item, parsed(versionOf(item))]));
  const of = (item: unknown) => versions.get(item) ?? parsed(undefined);
  return list.sort((one, other) => compareParsed(of(other), of(one)));
}

interface ParsedVersion {
  readonly text: string;
  readonly semantic: ReturnType<typeof parseVersion>;
}

function parsed(version: string | undefined): ParsedVersion {
  return { text: version ?? '', semantic: parseVersion(version) };
}

function compareParsed(one: ParsedVersion, other: ParsedVersion): number {
  if (one.semantic && other.semantic) return one.semantic.compare(other.semantic);
  if (one.semantic || other.semantic) return one.semantic ? 1 : -1;
  return compareText(one.text, other.text);
}

/** What is wrong with the versions of components, by their labels: several say that they are the latest, or none does. */
export function latestFaults(components: readonly Metadata[]): string[] {
  return [...grouped(components, ({ label }) => label)].flatMap(([label, versions]) => {
    const latest = versions.filter((one) => one.latest === true);
    const named = latest
      .slice(0, 5)
      .map(({ uri, version }) => version ?? uri)
      .join(', ');
    if (latest.length > 1)
      return `${latest.length} versions of ${label} say that they are the latest: ${named}`;
    // A single version that does not say whether it is the latest is no fault.
    const isMissed = versions.length > 1 || versions[0].latest !== undefined;
    return latest.length === 0 && isMissed ? `no version of ${label} says that it is the latest` : [];
  });
}
