import { compareText } from '../lib/compare-text.js';

/** Who says something about components: the node itself, a pod, another node, or the samples of this software. */
export type SourceKind = 'local' | 'pod' | 'peer' | 'sample';

export interface Source {
  readonly kind: SourceKind;
  /** The URL as configured or learned; `urn:registry:local` for the node itself, `urn:registry:samples` for the samples. */
  readonly url: string;
}

export const LOCAL: Source = { kind: 'local', url: 'urn:registry:local' };

/**
 * The samples of a demonstration. They are a source of their own, so that they go as one and mix with nothing; the name
 * of their graph tells other nodes not to take them (see `graphKind`).
 */
export const SAMPLES: Source = { kind: 'sample', url: 'urn:registry:samples' };

/** Does the node hold what the source says by itself? Nobody polls such a source. */
export function isHeldHere({ kind }: Source): boolean {
  return kind === 'local' || kind === 'sample';
}

/** A text that identifies a source. It has the kind in it, because one URL may be both a pod and a peer. */
export function sourceKey(source: Source): string {
  return `${source.kind} ${source.url}`;
}

/** The source with this `sourceKey`. */
export function sourceOfKey(key: string): Source {
  const space = key.indexOf(' ');
  return { kind: key.slice(0, space) as SourceKind, url: key.slice(space + 1) };
}

export interface Precedence {
  /** Below zero when the first source wins over the second; zero only for the same source. */
  compare(one: Source, other: Source): number;
  isConfigured(source: Source): boolean;
  /** Pods in the configuration, by their URLs. */
  readonly configuredPods: readonly string[];
  /** Does the operator answer for everything that configured peers pass on, as that of a mirror does? */
  readonly trustsRelays: boolean;
  /** Orders sources as `compare` does, ties by URL aside; it does not depend on which other sources there are. */
  rank(source: Source): number;
}

/** How far the operator answers for a source: the node itself, those that were named, and those that peers told of. */
export const TRUSTS = ['own', 'configured', 'learned'] as const;
export type SourceTrust = (typeof TRUSTS)[number];

export interface ConfiguredSources {
  readonly pods: readonly string[];
  readonly peers: readonly string[];
  /** See `Precedence`; false when absent. */
  readonly trustsRelays?: boolean;
}

/** More than there are sources in a configuration. */
const PLACES = 1_000_000;

/** Where each URL stands first. */
function placesOf(urls: readonly string[]): ReadonlyMap<string, number> {
  return new Map([...urls.entries()].reverse().map(([place, url]) => [url, place]));
}

/**
 * Who wins when several sources describe one component (design, section 5): configured pods in their order,
 * the node's own statements, learned pods, configured peers in their order, learned peers, samples; ties by URL.
 */
export function precedenceOf(configured: ConfiguredSources): Precedence {
  const order = { pod: placesOf(configured.pods), peer: placesOf(configured.peers) };
  const placeOf = ({ kind, url }: Source) =>
    kind === 'pod' || kind === 'peer' ? order[kind].get(url) : undefined;
  const classAndPlace = (source: Source): [number, number] => {
    const place = placeOf(source);
    if (source.kind === 'local') return [1, 0];
    if (source.kind === 'sample') return [5, 0];
    if (source.kind === 'pod') return place === undefined ? [2, 0] : [0, place];
    return place === undefined ? [4, 0] : [3, place];
  };
  return {
    compare(one, other) {
      const [class1, place1] = classAndPlace(one);
      const [class2, place2] = classAndPlace(other);
      return class1 - class2 || place1 - place2 || compareText(one.url, other.url);
    },
    rank(source) {
      const [kind, place] = classAndPlace(source);
      return kind * PLACES + place;
    },
    configuredPods: configured.pods,
    trustsRelays: configured.trustsRelays ?? false,
    isConfigured: (source) => isHeldHere(source) || placeOf(source) !== undefined,
  };
}
