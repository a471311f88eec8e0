import { createHash } from 'node:crypto';
import { type ListedAddress, listsDigest } from '../../component/network-list.js';
import type { NetworkLists } from '../../core/network-lists.js';
import type { Catalog } from '../../registry/catalog.js';
import type { Revision } from '../../registry/revision.js';
import type { State } from '../../registry/state.js';

export const MOST_HOPS = 16;

/** What a reader wants of the lists: entries with at most so many hops, or all of them. */
export type Scope = number | undefined;

/** The scope that a parameter names; nothing for what is no scope. */
export function scopeIn(text: string): number | undefined {
  return /^\d{1,2}$/.test(text) && Number(text) <= MOST_HOPS ? Number(text) : undefined;
}

/** The entries of a list in a scope; those of a named scope in the order of their hops. */
export function entriesWithin(list: readonly ListedAddress[], scope: Scope): readonly ListedAddress[] {
  if (scope === undefined) return list;
  return list.filter(({ hops }) => hops <= scope).sort((one, other) => one.hops - other.hops);
}

/** `/peers` and `/storage` in one revision, scope by scope. */
export interface ScopedLists {
  readonly lists: NetworkLists;
  /** The revision with which the lists came to be what they are now in this scope, as far as this process has seen. */
  revision(scope: Scope): Revision;
  /** Differs when what one list has in a scope does. */
  fingerprint(list: keyof NetworkLists, scope: number): string;
  /** See `listsDigest`. */
  digest(scope: Scope): string;
}

/**
 * When `/peers` and `/storage` changed last, for followers that want only addresses with few hops: what is far away changes
 * often, what an operator has configured hardly ever.
 *
 * It is worked out from successive revisions, and remembered in memory only: after a start, every scope counts as changed
 * with the current revision. So nodes that share one registry may name different revisions for one scope. But a scope never
 * had another content in the revision that is named for it: so whoever has read it under one number, and is told the same
 * number again, has missed nothing. Another number costs a reader one look.
 */
export class ListScopes {
  readonly #catalog: Pick<Catalog, 'state' | 'network'>;
  #current: LatestLists | undefined;

  constructor(catalog: Pick<Catalog, 'state' | 'network'>) {
    this.#catalog = catalog;
  }

  /** The lists in a state of the registry, or in a later one. */
  async at({ networkRevision }: State): Promise<ScopedLists> {
    if (this.#current?.includes(networkRevision)) return this.#current;
    for (;;) {
      const { networkRevision: revision } = await this.#catalog.state();
      const lists = await this.#catalog.network();
      const after = await this.#catalog.state();
      // Else the lists may be those of another revision.
      if (after.networkRevision.number !== revision.number) continue;
      if (!this.#current?.includes(revision)) this.#current = new LatestLists(revision, lists, this.#current);
      return this.#current;
    }
  }
}

class LatestLists implements ScopedLists {
  readonly #fingerprints: Readonly<Record<keyof NetworkLists, readonly string[]>>;
  readonly #revisions: readonly Revision[];
  readonly #digests = new Map<Scope, string>();

  constructor(
    readonly latest: Revision,
    readonly lists: NetworkLists,
    before: LatestLists | undefined,
  ) {
    this.#fingerprints = { peers: fingerprintsOf(lists.peers), storage: fingerprintsOf(lists.storage) };
    this.#revisions = this.#fingerprints.peers.map((_, scope) =>
      before?.isSame(this, scope) ? before.revision(scope) : latest,
    );
  }

  includes({ epoch, number }: Revision): boolean {
    return this.latest.epoch === epoch && this.latest.number >= number;
  }

  isSame(other: LatestLists, scope: number): boolean {
    return (
      this.latest.epoch === other.latest.epoch &&
      this.fingerprint('peers', scope) === other.fingerprint('peers', scope) &&
      this.fingerprint('storage', scope) === other.fingerprint('storage', scope)
    );
  }

  revision(scope: Scope): Revision {
    return (scope === undefined ? undefined : this.#revisions[scope]) ?? this.latest;
  }

  fingerprint(list: keyof NetworkLists, scope: number): string {
    return this.#fingerprints[list][scope] ?? '';
  }

  digest(scope: Scope): string {
    const known = this.#digests.get(scope);
    if (known !== undefined) return known;
    const { peers, storage } = this.lists;
    const within = { peers: entriesWithin(peers, scope), storage: entriesWithin(storage, scope) };
    const digest = listsDigest(within);
    this.#digests.set(scope, digest);
    return digest;
  }
}

/** One for each scope: each entry is looked at once, because a scope is the one before it and the entries of one more hop. */
function fingerprintsOf(list: readonly ListedAddress[]): string[] {
  const byHops = Array.from({ length: MOST_HOPS + 1 }, (): ListedAddress[] => []);
  for (const entry of list) byHops[entry.hops]?.push(entry);
  let before = '';
  return byHops.map((entries) => {
    if (entries.length === 0) return before;
    const text = JSON.stringify(entries.map(({ url, hops, via }) => [url, hops, ...via]));
    before = createHash('sha256').update(before).update(text).digest('base64url').slice(0, 16);
    return before;
  });
}
