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

/** The starter set: real components that come with this software. It is kept apart as the samples are, and for the same reason. */
export const STARTER: Source = { kind: 'sample', url: 'urn:registry:starter' };

/** Does the node hold what the source says by itself? Nobody polls such a source. */
export function isOfThisNode({ kind }: Source): boolean {
  return kind === 'local' || kind === 'sample';
}

export function sameSource(one: Source, other: Source): boolean {
  return one.kind === other.kind && one.url === other.url;
}

/** A text that identifies a source. It has the kind in it, because one URL may be both a pod and a peer. */
export function sourceKey(source: Source): string {
  return `${source.kind} ${source.url}`;
}

export function sourceOfKey(key: string): Source {
  const space = key.indexOf(' ');
  return { kind: key.slice(0, space) as SourceKind, url: key.slice(space + 1) };
}

/** How far the operator answers for a source: the node itself, those that were named, and those that peers told of. */
export const TRUSTS = ['own', 'configured', 'learned'] as const;
export type SourceTrust = (typeof TRUSTS)[number];
