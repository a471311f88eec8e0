import { LOCAL, type Source, sourceKey } from '../../component/source.js';
import type { NetworkLists } from '../../core/network-lists.js';
import type { Precedence } from '../../core/precedence.js';
import type { ChangeCount } from '../../registry/change.js';
import type { Registry } from '../../registry/registry.js';
import { nextRevision, type Revision } from '../../registry/revision.js';
import type { OwnChange, SourceChange } from '../../registry/source-change.js';
import type { StoredSource } from '../../registry/source-record.js';
import type { LoadOptions } from '../registry-store.js';
import type { HeldDescription, MemoryCatalog, ShownChange } from './memory-catalog.js';
import { changedSource, toldAnew } from './memory-change.js';
import { emptySource, type MemoryData, type MemorySource } from './memory-data.js';
import { feedOf, remembered } from './memory-feed.js';

/** Where the data is kept, so that it outlives the registry. */
export interface DataCell {
  data: MemoryData;
}

/**
 * A registry without a disk. Every change is made in one synchronous step, which makes it atomic, and lasts as
 * long as the cell that holds the data.
 */
export class MemoryRegistry implements Registry {
  readonly #cell: DataCell;
  readonly #catalog: MemoryCatalog;
  readonly #clock: LoadOptions['clock'];
  readonly #precedence: Precedence;
  #revision: Revision;
  #networkRevision: Revision;

  constructor(cell: DataCell, catalog: MemoryCatalog, { clock, random, precedence }: LoadOptions) {
    this.#cell = cell;
    this.#catalog = catalog;
    this.#clock = clock;
    this.#precedence = precedence;
    const fresh = { epoch: Math.floor(random() * 2 ** 52).toString(36), number: 0, since: 0 };
    this.#revision = cell.data.revision ?? nextRevision(fresh, clock.now());
    this.#networkRevision = cell.data.networkRevision ?? { ...this.#revision, number: 0 };
    this.#keep({});
    this.#begin();
    this.#show();
  }

  async commit({ source, ...change }: SourceChange): Promise<ChangeCount> {
    return this.#replace(this.#sourceOf(source), change);
  }

  async commitOwn(amend: OwnChange): Promise<ChangeCount> {
    const before = this.#sourceOf(LOCAL);
    const document = { url: LOCAL.url, amend, record: before.documents.get(LOCAL.url)?.record ?? {} };
    return this.#replace(before, { documents: [document], record: (record) => record });
  }

  async forget(source: Source): Promise<void> {
    const held = this.#cell.data.sources.get(sourceKey(source));
    if (!held) return;
    const documents = [...held.documents.keys()].map((url) => ({ url, record: null }));
    this.#replace(held, { documents, record: (record) => record }, true);
  }

  async setNetwork(network: NetworkLists): Promise<void> {
    const { data } = this.#cell;
    if (JSON.stringify(network) === JSON.stringify(data.network)) return;
    const now = this.#clock.now();
    this.#networkRevision = nextRevision(this.#networkRevision, now);
    const feed = { ...data.feed, position: data.feed.position + 1, at: Math.max(data.feed.at, now) };
    this.#keep({ network: structuredClone(network), feed }, true);
    this.#show('none');
  }

  async source(source: Source): Promise<StoredSource | undefined> {
    const held = this.#cell.data.sources.get(sourceKey(source));
    return held && storedSource(held);
  }

  async sources(): Promise<readonly StoredSource[]> {
    return [...this.#cell.data.sources.values()].map(storedSource);
  }

  async close(): Promise<void> {
    // Nothing is under way, and nothing is held that the garbage collector does not find.
  }

  /** `moves`: the revision. `anew`: what gets a new position. */
  setPins(
    pins: MemoryData['pins'],
    { moves, anew }: { readonly moves: boolean; readonly anew: readonly HeldDescription[] },
  ): void {
    this.#keep({ pins });
    if (!moves) return;
    this.#revision = nextRevision(this.#revision, this.#clock.now());
    const { sources, feed } = toldAnew(this.#cell.data, anew, this.#clock.now());
    this.#keep({ sources, feed }, anew.length > 0);
    this.#show();
  }

  #sourceOf(source: Source): MemorySource {
    const held = this.#cell.data.sources.get(sourceKey(source));
    return held ?? emptySource(source);
  }

  #replace(before: MemorySource, change: Omit<SourceChange, 'source'>, forgetting = false): ChangeCount {
    const { data } = this.#cell;
    const parts = { before, feed: data.feed, precedence: this.#precedence, now: this.#clock.now() };
    const { source, feed, count, moves, differing } = changedSource(change, parts);
    const sources = new Map(data.sources).set(sourceKey(source.source), source);
    if (forgetting) sources.delete(sourceKey(source.source));
    if (moves) this.#revision = nextRevision(this.#revision, this.#clock.now());
    this.#keep({ sources, feed }, moves);
    if (moves) this.#show({ source: source.source, documents: source.documents, differing });
    return count;
  }

  /** Another configuration may have given the sources other ranks: then another state begins. */
  #begin(): void {
    const { feed, sources } = this.#cell.data;
    const position = feed.position + 1;
    const ranked = [...sources].map(([key, source]): [string, MemorySource] => {
      const rank = this.#precedence.rank(source.source);
      const isSame = !source.line || source.line.rank === rank;
      return [key, isSame ? source : { ...source, line: { ...source.line, rank, position } }];
    });
    const isSame = ranked.every(([key, source]) => sources.get(key) === source);
    if (isSame && feed.state) return;
    const at = Math.max(feed.at, this.#clock.now());
    this.#keep({ sources: new Map(ranked), feed: { ...feed, position, at } }, true);
  }

  /** `isNew`: another state begins. */
  #keep(change: Partial<MemoryData>, isNew = false): void {
    const revisions = { revision: this.#revision, networkRevision: this.#networkRevision };
    const data = { ...this.#cell.data, ...change, ...revisions };
    this.#cell.data = isNew ? remembered(data, this.#clock.now()) : data;
  }

  #show(changed?: ShownChange | 'none'): void {
    const state = {
      ...{ revision: this.#revision, networkRevision: this.#networkRevision },
      feed: feedOf(this.#cell.data),
    };
    this.#catalog.show(this.#cell.data, state, changed);
  }
}

function storedSource({ source, record, documents }: MemorySource): StoredSource {
  const described = [...documents].map(
    ([url, document]) => [url, { ...document.record, components: document.components.size }] as const,
  );
  return { source, record, documents: new Map(described) };
}
