import { isOfThisNode, LOCAL, type Source, sourceKey } from '../../component/source.js';
import type { NetworkLists } from '../../core/network-lists.js';
import type { Precedence } from '../../core/precedence.js';
import type { Clock } from '../../lib/clock.js';
import { KeyedMutex } from '../../lib/keyed-mutex.js';
import type { Pace } from '../../lib/pace.js';
import { type ChangeCount, NO_CHANGE } from '../../registry/change.js';
import { nextForgetting } from '../../registry/forgetting.js';
import type { Registry } from '../../registry/registry.js';
import { eachDocumentOnce, type OwnChange, type SourceChange } from '../../registry/source-change.js';
import type { StoredSource } from '../../registry/source-record.js';
import type { Database } from './connection/database.js';
import type { Transaction } from './connection/transaction.js';
import { PostgresLease } from './postgres-polls.js';
import type { PublishedState } from './published-state.js';
import type { SourceView } from './reading/source-view.js';
import { readStoredSource } from './reading/stored-sources.js';
import { Commit } from './writing/commit.js';
import { type Moved, setNetwork } from './writing/history.js';
import { type LockedSource, lockOrAddSource, lockSource, readLeaving } from './writing/stored-documents.js';

export interface PostgresRegistryParts {
  readonly database: Database;
  readonly published: PublishedState;
  readonly view: SourceView;
  readonly precedence: Precedence;
  readonly clock: Clock;
  readonly pace: Pace;
  /** Identifies this node among those that share the database. */
  readonly node: string;
  /** Ends what runs beside, and the connections. */
  readonly close: () => Promise<void>;
}

/** What a transaction leads to. */
interface Outcome {
  readonly count: ChangeCount;
  readonly moved?: Moved | undefined;
  /** To be called before anything else is changed of the source. */
  readonly committed?: () => void;
}

/**
 * A registry in a database that other nodes use, too. Changes of one source wait for one another at its row, whichever node
 * makes them; those that readers see wait at the head, from the moment on at which they know their positions.
 */
export class PostgresRegistry implements Registry {
  readonly #parts: PostgresRegistryParts;
  /** Changes of one source in the order in which they were asked for here, without connections that wait for one another. */
  readonly #mutex = new KeyedMutex();
  readonly #underWay = new Set<Promise<unknown>>();

  constructor(parts: PostgresRegistryParts) {
    this.#parts = parts;
  }

  async commit(change: SourceChange): Promise<ChangeCount> {
    const { count } = await this.#inTurn(change.source, (transaction) => this.#replace(transaction, change));
    return count;
  }

  async commitOwn(amend: OwnChange): Promise<ChangeCount> {
    const { count } = await this.#inTurn(LOCAL, async (transaction) => {
      const source = await this.#locked(transaction, LOCAL);
      const commit = await this.#begin(transaction, source, [LOCAL.url]);
      await commit.apply([{ url: LOCAL.url, amend, record: commit.recordOf(LOCAL.url) }]);
      return { moved: await commit.finish({ record: source.record }), count: commit.count };
    });
    return count;
  }

  async forget(source: Source, signal?: AbortSignal): Promise<void> {
    do signal?.throwIfAborted();
    while (!(await this.#inTurn(source, (transaction) => this.#forgetNext(transaction, source))).isGone);
  }

  async setNetwork(lists: NetworkLists): Promise<void> {
    const { clock, published } = this.#parts;
    await this.#run('network', async (transaction) => ({
      count: NO_CHANGE,
      moved: await setNetwork(transaction, lists, { now: clock.now(), history: published }),
    }));
  }

  source(source: Source): Promise<StoredSource | undefined> {
    return this.#parts.database.read((session) => readStoredSource(session, source));
  }

  sources(): Promise<readonly StoredSource[]> {
    return this.#parts.view.sources();
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#underWay);
    await this.#parts.close();
  }

  async #replace(transaction: Transaction, change: SourceChange): Promise<Outcome> {
    const { source, expected, lease } = change;
    const documents = eachDocumentOnce(change.documents);
    const locked = await this.#locked(transaction, source);
    const urls = documents.map(({ url }) => url);
    const commit = await this.#begin(transaction, locked, urls, expected !== undefined);
    await commit.apply(documents);
    const record = change.record(locked.record);
    const isPoll = isOfThisNode(source) || record.lastAttempt !== locked.record.lastAttempt;
    const polledBy = isPoll ? this.#parts.node : undefined;
    const outcome = { moved: await commit.finish({ record, expected, polledBy }), count: commit.count };
    return lease instanceof PostgresLease ? { ...outcome, committed: lease.prove(transaction) } : outcome;
  }

  async #forgetNext(
    transaction: Transaction,
    source: Source,
  ): Promise<Outcome & { readonly isGone: boolean }> {
    const locked = await lockSource(transaction, source);
    if (!locked) return { count: NO_CHANGE, isGone: true };
    const { documents, isLast } = await nextForgetting(await readLeaving(transaction, locked.id));
    const commit = await this.#begin(
      transaction,
      locked,
      documents.map(({ url }) => url),
    );
    await commit.apply(documents);
    const record = isLast ? undefined : { failures: 0 };
    return { moved: await commit.finish({ record }), count: commit.count, isGone: isLast };
  }

  #locked(transaction: Transaction, source: Source): Promise<LockedSource> {
    return lockOrAddSource(transaction, source, this.#parts.precedence.rank(source));
  }

  #begin(
    transaction: Transaction,
    source: LockedSource,
    urls: readonly string[],
    verifies = false,
  ): Promise<Commit> {
    const { precedence, pace, clock, published } = this.#parts;
    const parts = { transaction, source, precedence, pace, now: clock.now(), history: published };
    return Commit.begin(parts, urls, verifies);
  }

  #inTurn<O extends Outcome>(source: Source, work: (transaction: Transaction) => Promise<O>): Promise<O> {
    // Also of one that failed: whether it was stored may not be known.
    return this.#run(sourceKey(source), work).finally(() => this.#parts.view.change(source));
  }

  async #run<O extends Outcome>(key: string, work: (transaction: Transaction) => Promise<O>): Promise<O> {
    const { database, published } = this.#parts;
    const { shown } = published;
    const running = this.#mutex.run(key, async () => {
      const outcome = await database.write(work);
      outcome.committed?.();
      return outcome;
    });
    this.#underWay.add(running);
    try {
      const outcome = await running;
      if (outcome.moved) published.show(outcome.moved, shown);
      return outcome;
    } finally {
      this.#underWay.delete(running);
    }
  }
}
