import parseVersion from 'semver/functions/parse.js';
import { compareText } from '../lib/compare-text.js';
import type { Metadata } from './metadata.js';
import { graphTaken } from './provenance.js';
import { type Source, sourceKey } from './source.js';

/** Where a description comes from. */
export interface VersionOrigin {
  readonly source: Source;
  /** The URL of the document, or the name of the graph, that describes it. */
  readonly document: string;
}

/**
 * Names the component that a description is a version of. Metadata does not say which components are versions of each other:
 * those count as such that have the same label and come from the same source and container. What was posted to a node may be
 * anybody's: there, the modules must have one publisher, too. So nobody can make a component of his the next version of
 * somebody else's.
 */
export function versionGroup(
  { label, uri }: Pick<Metadata, 'label' | 'uri'>,
  { source, document }: VersionOrigin,
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

export type VersionFacts = Pick<Metadata, 'uri' | 'label' | 'version' | 'latest'>;

/** A component of which several versions say that they are the latest, or none does. */
export interface LatestFault {
  readonly label: string;
  /** In plain words. */
  readonly notice: string;
  /** Some of the versions that the notice is about. */
  readonly uris: readonly string[];
}

/** What is remembered of the versions of one component. */
interface Versions {
  readonly label: string;
  count: number;
  isSaid: boolean;
  latest: number;
  /** Some of those that say that they are the latest; while there are none, some of the others. */
  named: VersionFacts[];
}

/** How many versions are named in one notice. */
const NAMED_VERSIONS = 5;

/** Finds components of which several versions say that they are the latest, or none does. */
export class LatestCheck {
  readonly #groups = new Map<string, Versions>();

  /** @param group see `versionGroup`; anything that distinguishes components will do */
  add(group: string, { uri, label, version, latest }: VersionFacts): void {
    const versions = this.#groups.get(group) ?? { label, count: 0, isSaid: false, latest: 0, named: [] };
    this.#groups.set(group, versions);
    versions.count += 1;
    versions.isSaid ||= latest !== undefined;
    if (latest === true && versions.latest++ === 0) versions.named = [];
    const isNamed = latest === true || versions.latest === 0;
    if (isNamed && versions.named.length < NAMED_VERSIONS) versions.named.push({ uri, label, version });
  }

  /** In the order in which the components were added. A single version that does not say whether it is the latest is no fault. */
  *faults(): Generator<LatestFault> {
    for (const { label, count, isSaid, latest, named } of this.#groups.values()) {
      const uris = named.map(({ uri }) => uri);
      if (latest > 1) {
        const versions = named.map(({ uri, version }) => version ?? uri).join(', ');
        yield {
          label,
          notice: `${latest} versions of ${label} say that they are the latest: ${versions}${latest > named.length ? ', …' : ''}`,
          uris,
        };
      } else if (latest === 0 && (isSaid || count > 1)) {
        yield { label, notice: `no version of ${label} says that it is the latest`, uris };
      }
    }
  }
}
