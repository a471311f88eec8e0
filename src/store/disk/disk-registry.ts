import { LOCAL, type Source, sourceKey } from '../../component/source.js';
import type { NetworkLists } from '../../core/network-lists.js';
import { StorageFailure } from '../../lib/faults.js';
import { KeyedMutex } from '../../lib/keyed-mutex.js';
import type { ChangeCount } from '../../registry/change.js';
import { type LeavingDocument, nextForgetting } from '../../registry/forgetting.js';
import type { Registry } from '../../registry/registry.js';
import {
  type DocumentChange,
  eachDocumentOnce,
  type OwnChange,
  type SourceChange,
} from '../../registry/source-change.js';
import type { StoredSource } from '../../registry/source-record.js';
import type { ChangeWriter } from './changes/change-writer.js';
import type { DocumentDifference } from './changes/difference.js';
import { graphName } from './database/graph-name.js';
import type { Row } from './database/quad-store.js';
import { TABLES } from './database/tables.js';
import { type DiskDocument, type DiskSource, type Sources, storedSource } from './disk-source.js';

export interface DiskRegistryParts {
  readonly sources: Sources;
  readonly writer: ChangeWriter;
  /** Called first. */
  readonly beforeClose: () => Promise<void>;
  /** Closes the database; called when nothing is being written any more. */
  readonly closeStore: () => Promise<void>;
}

/**
 * The registry on disk: quads and bookkeeping in the database, the catalog in memory, one way to change both.
 * A change is in the catalog at the instant at which it is decided on disk.
 */
export class DiskRegistry implements Registry {
  readonly #sources: Sources;
  readonly #writer: ChangeWriter;
  readonly #beforeClose: () => Promise<void>;
  readonly #closeStore: () => Promise<void>;
  readonly #mutex = new KeyedMutex();

  constructor({ sources, writer, beforeClose, closeStore }: DiskRegistryParts) {
    this.#beforeClose = beforeClose;
    this.#sources = sources;
    this.#writer = writer;
    this.#closeStore = closeStore;
  }

  /**
   * A record alone that cannot be stored is kept in memory nevertheless, because the status tells from it that polls
   * fail. @throws StorageFailure
   */
  commit(change: SourceChange): Promise<ChangeCount> {
    return this.exclusive(change.source, async () => {
      try {
        return await this.#replace(change);
      } catch (error) {
        if (error instanceof StorageFailure && change.documents.length === 0) this.#remember(change);
        throw error;
      }
    });
  }

  commitOwn(amend: OwnChange): Promise<ChangeCount> {
    return this.exclusive(LOCAL, () => {
      const { record } = this.#sources.document(LOCAL, LOCAL.url);
      const documents = [{ url: LOCAL.url, amend, record }];
      return this.#replace({ source: LOCAL, documents, record: (before) => before });
    });
  }

  async forget(source: Source, signal?: AbortSignal): Promise<void> {
    do signal?.throwIfAborted();
    while (!(await this.exclusive(source, () => this.#forgetNext(source))));
  }

  /** Is the source gone? */
  async #forgetNext(source: Source): Promise<boolean> {
    const held = this.#sources.get(source);
    if (!held) return true;
    const { documents, isLast } = await nextForgetting(leavingDocuments(held));
    await this.#replace({ source, documents, record: () => ({ failures: 0 }) }, isLast);
    if (isLast) this.#sources.delete(source);
    return isLast;
  }

  setNetwork(lists: NetworkLists): Promise<void> {
    return this.#mutex.run('network', () => this.#writer.setNetwork(lists));
  }

  async source(source: Source): Promise<StoredSource | undefined> {
    const held = this.#sources.get(source);
    return held && storedSource(held);
  }

  async sources(): Promise<readonly StoredSource[]> {
    return this.#sources.all().map(storedSource);
  }

  async close(): Promise<void> {
    await this.#beforeClose();
    await this.#writer.idle(() => this.#closeStore());
  }

  #remember({ source, record }: SourceChange): void {
    this.#sources.remember(source, record(this.#sources.of(source).record));
  }

  /** `forgetting`: nothing is remembered of the source itself. */
  async #replace(
    { source, documents, record: given, expected }: SourceChange,
    forgetting = false,
  ): Promise<ChangeCount> {
    const record = given(this.#sources.of(source).record);
    const hashes = this.#writer.hashChange(source);
    const rows: Row[] = [TABLES.source(source, forgetting ? undefined : record)];
    const differences: DocumentDifference[] = [];
    const touched: { document: DiskDocument; change: DocumentChange }[] = [];
    for (const change of eachDocumentOnce(documents)) {
      const document = this.#sources.document(source, change.url);
      touched.push({ document, change });
      differences.push(await this.#writer.difference(document, change, hashes));
      rows.push(TABLES.document(source, change.url, change.record ?? undefined));
      if (change.record === null) rows.push(TABLES.graph(graphName(source, change.url), undefined));
    }
    const count = await this.#writer.write({ source, differences, rows, hashes, expected });
    for (const { document, change } of touched) {
      if (change.record === null) this.#sources.drop(source, change.url);
      else this.#sources.hold(Object.assign(document, { record: change.record }));
    }
    this.#sources.remember(source, record);
    return count;
  }

  /** One change of a source after another, each on what the one before has left on disk. */
  exclusive<T>(source: Source, task: () => Promise<T>): Promise<T> {
    return this.#mutex.run(sourceKey(source), async () => {
      await this.#writer.finish(source);
      return task();
    });
  }
}

function* leavingDocuments({ documents }: DiskSource): Generator<LeavingDocument> {
  for (const [url, { record, entries }] of documents) {
    const uris = (most: number) => entries.slice(0, most).map(({ uri }) => uri);
    yield { url, record, components: entries.length, uris };
  }
}
