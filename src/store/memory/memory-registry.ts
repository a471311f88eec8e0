import { LOCAL, type Source, sourceKey } from '../../component/source.js';
import type { NetworkLists } from '../../core/network-lists.js';
import { KeyedMutex } from '../../lib/keyed-mutex.js';
import type { ChangeCount } from '../../registry/change.js';
import { unread } from '../../registry/document-record.js';
import { type LeavingDocument, nextForgetting } from '../../registry/forgetting.js';
import type { Registry } from '../../registry/registry.js';
import { nextRevision } from '../../registry/revision.js';
import type { OwnChange, SourceChange } from '../../registry/source-change.js';
import type { StoredSource } from '../../registry/source-record.js';
import type { LoadOptions } from '../registry-store.js';
import { MemoryCatalog } from './memory-catalog.js';
import { changedSource } from './memory-change.js';
import {
  type DataChange,
  inNextState,
  type MemoryData,
  type MemorySource,
  type MemoryStatement,
  saidBy,
  statementKey,
} from './memory-data.js';

/** Where the data is kept, so that it outlives the registry. */
export interface DataCell {
  data: MemoryData;
}

/**
 * A registry without a disk. One change is made after the other, and each shown in one synchronous step, which makes it
 * atomic; it lasts as long as the cell that holds the data.
 */
export class MemoryRegistry implements Registry {
  readonly catalog: MemoryCatalog;
  readonly #cell: DataCell;
  readonly #options: LoadOptions;
  readonly #mutex = new KeyedMutex();

  constructor(cell: DataCell, options: LoadOptions) {
    this.#cell = cell;
    this.#options = options;
    this.catalog = new MemoryCatalog(() => cell.data, options);
    cell.data = opened(cell.data, options);
  }

  get data(): MemoryData {
    return this.#cell.data;
  }

  commit(change: SourceChange): Promise<ChangeCount> {
    return this.inTurn(() => this.#commit(change));
  }

  commitOwn(amend: OwnChange): Promise<ChangeCount> {
    return this.inTurn(() => {
      const record = this.data.sources.get(sourceKey(LOCAL))?.documents.get(LOCAL.url) ?? {};
      const documents = [{ url: LOCAL.url, amend, record }];
      return this.#commit({ source: LOCAL, documents, record: unchanged });
    });
  }

  async forget(source: Source, signal?: AbortSignal): Promise<void> {
    do signal?.throwIfAborted();
    while (!(await this.inTurn(() => this.#forgetNext(source))));
  }

  /** Is the source gone? */
  async #forgetNext(source: Source): Promise<boolean> {
    const stored = this.data.sources.get(sourceKey(source));
    if (!stored) return true;
    const { documents, isLast } = await nextForgetting(leavingDocuments(this.data, stored));
    await this.#commit({ source, documents, record: () => ({ failures: 0 }) });
    if (!isLast) return false;
    const sources = new Map(this.data.sources);
    sources.delete(sourceKey(source));
    this.#cell.data = { ...this.data, sources };
    return true;
  }

  setNetwork(network: NetworkLists): Promise<void> {
    return this.inTurn(async () => this.#setNetwork(network));
  }

  /** Runs a change when none is under way. */
  inTurn<T>(change: () => Promise<T>): Promise<T> {
    return this.#mutex.run('', change);
  }

  #setNetwork(network: NetworkLists): void {
    if (JSON.stringify(network) === JSON.stringify(this.data.network)) return;
    const { networkRevision, feed } = this.data.state;
    const revision = nextRevision(networkRevision, this.#options.clock.now());
    const position = feed.position + 1;
    this.#show({ network: structuredClone(network), networkRevision: revision, position });
  }

  async source(source: Source): Promise<StoredSource | undefined> {
    const stored = this.data.sources.get(sourceKey(source));
    return stored && this.#stored(stored);
  }

  async sources(): Promise<readonly StoredSource[]> {
    return [...this.data.sources.values()].map((one) => this.#stored(one));
  }

  close(): Promise<void> {
    return this.inTurn(async () => undefined);
  }

  /** `moves`: the revision. `news`: served statements that get a new position, and say what they said. */
  setPins(
    pins: MemoryData['pins'],
    { moves, news }: { readonly moves: boolean; readonly news: readonly MemoryStatement[] },
  ): void {
    if (!moves) {
      this.#cell.data = { ...this.data, pins };
      return;
    }
    const { state, at } = this.data;
    const sources = new Map(this.data.sources);
    let { position } = state.feed;
    const statements = new Map(this.data.statements);
    const told = Math.max(at, this.#options.clock.now());
    for (const statement of news) {
      position += 1;
      const key = sourceKey(statement.source);
      const source = sources.get(key);
      if (source?.summary) sources.set(key, { ...source, summary: { ...source.summary, position } });
      statements.delete(statementKey(statement));
      statements.set(statementKey(statement), { ...statement, position, at: told, isUpdate: true });
    }
    this.#show({ pins, sources, statements, position, revision: this.#later() });
  }

  #stored({ source, record, documents }: MemorySource): StoredSource {
    const said = saidBy(this.data, source);
    const counted = [...documents].map(
      ([url, stored]) => [url, { ...stored, components: said.get(url)?.length ?? 0 }] as const,
    );
    return { source, record, documents: new Map(counted) };
  }

  async #commit(change: SourceChange): Promise<ChangeCount> {
    const { precedence, clock, pace } = this.#options;
    const parts = { rank: precedence.rank(change.source), now: clock.now(), breathe: pace() };
    const { count, moves, ...after } = await changedSource(this.data, change, parts);
    if (moves) this.#show({ ...after, revision: this.#later() });
    else this.#cell.data = { ...this.data, sources: after.sources };
    return count;
  }

  #later() {
    return nextRevision(this.data.state.revision, this.#options.clock.now());
  }

  #show(change: Omit<DataChange, 'now'>): void {
    this.#cell.data = inNextState(this.data, { ...change, now: this.#options.clock.now() });
    this.catalog.tell(this.data.state);
  }
}

function* leavingDocuments(
  data: MemoryData,
  { source, documents }: MemorySource,
): Generator<LeavingDocument> {
  const said = saidBy(data, source);
  for (const [url, record] of documents) {
    const uris = said.get(url)?.map(({ uri }) => uri) ?? [];
    yield { url, record, components: uris.length, uris: (most) => uris.slice(0, most) };
  }
}

function unchanged<T>(record: T): T {
  return record;
}

/** The data as a configuration shows it: another state where it is not the configuration of the last start. */
function opened(data: MemoryData, options: LoadOptions): MemoryData {
  const { baseUrl, vocabulary, servedAs, clock, random, precedence } = options;
  const now = clock.now();
  const shown = JSON.stringify([baseUrl, vocabulary.namespace, servedAs]);
  const fresh = { epoch: Math.floor(random() * 2 ** 52).toString(36), number: 0, since: 0 };
  const { revision, networkRevision, feed } = data.state;
  const isNew = data.states.length === 0;
  const isTranslated = !isNew && data.namespace !== vocabulary.namespace;
  const position = feed.position + 1;
  const sources = new Map(
    [...data.sources].map(([key, source]) => {
      const { summary, documents } = source;
      const rank = precedence.rank(source.source);
      // In another vocabulary, the same documents may say something else.
      const stored = isTranslated
        ? new Map([...documents].map(([url, one]) => [url, unread(one)]))
        : documents;
      const ranked = summary && (summary.rank === rank ? summary : { ...summary, rank, position });
      return [key, { ...source, documents: stored, summary: ranked }] as const;
    }),
  );
  const isRanked = [...sources].some(([key, { summary }]) => summary !== data.sources.get(key)?.summary);
  const begun = isNew ? nextRevision(fresh, now) : revision;
  return {
    ...inNextState(data, {
      sources,
      now,
      position: isNew || isRanked ? position : feed.position,
      revision: isNew || data.servedAs === shown ? begun : nextRevision(revision, now),
      networkRevision: isNew ? { ...begun, number: 0 } : networkRevision,
    }),
    servedAs: shown,
    namespace: vocabulary.namespace,
  };
}
