import { LOCAL, type Source, sourceKey } from '../../component/source.js';
import type { NetworkLists } from '../../core/network-lists.js';
import type { Precedence } from '../../core/precedence.js';
import type { Clock } from '../../lib/clock.js';
import { KeyedMutex } from '../../lib/keyed-mutex.js';
import type { Pace } from '../../lib/pace.js';
import { type ChangeCount, NO_CHANGE } from '../../registry/change.js';
import { nextForgetting } from '../../registry/forgetting.js';
import type { Registry } from '../../registry/registry.js';
import type { DocumentChange, OwnChange, SourceChange } from '../../registry/source-change.js';
import type { SourceRecord, StoredSource } from '../../registry/source-record.js';
import type { Database } from './connection/database.js';
import type { Session } from './connection/session.js';
import { notePoll, PostgresLease } from './postgres-polls.js';
import type { PublishedState } from './published-state.js';
import type { SourceView } from './reading/source-view.js';
import { readStoredSource } from './reading/stored-sources.js';
import { Commit } from './writing/commit.js';
import type { Moved } from './writing/history.js';
import { setNetwork } from './writing/network.js';
import {
  type LockedSource,
  lockOrAddSource,
  lockSource,
  readDocuments,
  readLeaving,
  removeSource,
} from './writing/stored-documents.js';

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
    const { count } = await this.#inTurn(change.source, (session) => this.#replace(session, change));
    return count;
  }

  async commitOwn(amend: OwnChange): Promise<ChangeCount> {
    const { count } = await this.#inTurn(LOCAL, async (session) => {
      const source = await this.#locked(session, LOCAL);
      const record = (await readDocuments(session, source.id, [LOCAL.url])).get(LOCAL.url)?.record ?? {};
      const documents = [{ url: LOCAL.url, amend, record }];
      return this.#write(session, source, { source: LOCAL, documents, record: (current) => current });
    });
    return count;
  }

  async forget(source: Source, signal?: AbortSignal): Promise<void> {
    do signal?.throwIfAborted();
    while (!(await this.#inTurn(source, (session) => this.#forgetNext(session, source))).isGone);
  }

  async setNetwork(lists: NetworkLists): Promise<void> {
    const { clock, published } = this.#parts;
    await this.#run('network', async (session) => ({
      count: NO_CHANGE,
      moved: await setNetwork(session, lists, { now: clock.now(), history: published }),
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

  async #replace(session: Session, change: SourceChange): Promise<Outcome> {
    const locked = await this.#locked(session, change.source);
    let record = locked.record;
    const noting = (current: SourceRecord) => {
      record = change.record(current);
      return record;
    };
    const outcome = await this.#write(session, locked, { ...change, record: noting });
    await notePoll(session, { ...locked, record }, { node: this.#parts.node, before: locked.record });
    const { lease } = change;
    return lease instanceof PostgresLease ? { ...outcome, committed: await lease.prove(session) } : outcome;
  }

  async #forgetNext(session: Session, source: Source): Promise<Outcome & { readonly isGone: boolean }> {
    const locked = await lockSource(session, source);
    if (!locked) return { count: NO_CHANGE, isGone: true };
    const { documents, isLast } = await nextForgetting(await readLeaving(session, locked.id));
    const outcome = await this.#write(session, locked, {
      ...{ source, documents },
      record: () => ({ failures: 0 }),
    });
    if (isLast) await removeSource(session, locked.id);
    return { ...outcome, isGone: isLast };
  }

  #locked(session: Session, source: Source): Promise<LockedSource> {
    return lockOrAddSource(session, source, this.#parts.precedence.rank(source));
  }

  async #write(
    session: Session,
    source: LockedSource,
    { documents, record, expected }: SourceChange,
  ): Promise<Outcome> {
    const { precedence, pace, clock, published } = this.#parts;
    const parts = { session, source, precedence, pace, now: clock.now(), history: published };
    const commit = await Commit.begin(parts, documents.length > 0 || expected !== undefined);
    for (const some of withoutRepetition(documents)) await commit.apply(some);
    const moved = await commit.finish(record(source.record), expected);
    return { count: commit.count, moved };
  }

  #inTurn<O extends Outcome>(source: Source, work: (session: Session) => Promise<O>): Promise<O> {
    // Also of one that failed: whether it was stored may not be known.
    return this.#run(sourceKey(source), work).finally(() => this.#parts.view.change(source));
  }

  async #run<O extends Outcome>(key: string, work: (session: Session) => Promise<O>): Promise<O> {
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

/** Cuts the changes where a document is named again, so that each list names each once. */
function withoutRepetition(changes: readonly DocumentChange[]): DocumentChange[][] {
  const lists: DocumentChange[][] = [[]];
  let named = new Set<string>();
  for (const change of changes) {
    if (named.has(change.url)) {
      lists.push([]);
      named = new Set();
    }
    named.add(change.url);
    lists.at(-1)?.push(change);
  }
  return lists;
}
