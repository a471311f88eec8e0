import { isOfThisNode, LOCAL, type Source, sameSource, sourceKey } from '../../../src/component/source.js';
import type { NetworkLists } from '../../../src/core/network-lists.js';
import { KeyedMutex } from '../../../src/lib/keyed-mutex.js';
import { type ChangeCount, NO_CHANGE } from '../../../src/registry/change.js';
import type { Registry } from '../../../src/registry/registry.js';
import type { OwnChange, SourceChange } from '../../../src/registry/source-change.js';
import type { StoredSource } from '../../../src/registry/source-record.js';
import type { State } from '../../../src/registry/state.js';
import { emptySource, type MemoryData } from '../../../src/store/memory/memory-data.js';
import { MemoryRegistry } from '../../../src/store/memory/memory-registry.js';
import type { Database } from '../../../src/store/postgres/connection/database.js';
import { only, type Session } from '../../../src/store/postgres/connection/session.js';
import type { Transaction } from '../../../src/store/postgres/connection/transaction.js';
import { PostgresLease } from '../../../src/store/postgres/postgres-polls.js';
import type { PublishedState } from '../../../src/store/postgres/published-state.js';
import { createHead, type Head, lockHead } from '../../../src/store/postgres/writing/head.js';
import { lockHistory, type Moved, moveTo, setNetwork } from '../../../src/store/postgres/writing/history.js';
import type { LoadOptions } from '../../../src/store/registry-store.js';
import type { Opener } from '../nodes/storage.js';
import { LOCK_ALL, NOTE_POLL, READ_ALL, WRITE_ALL } from './statements.js';
import { numberOf, type Tables } from './tables.js';

export interface ModelRegistryParts {
  readonly database: Database;
  readonly published: PublishedState;
  readonly options: LoadOptions;
  /** Identifies the process among those that share the database. */
  readonly node: string;
  readonly opener: Opener;
  readonly close: () => Promise<void>;
}

/** What a transaction leads to; see `Outcome` in src/store/postgres/postgres-registry.ts. */
interface Outcome {
  readonly count: ChangeCount;
  readonly moved?: Moved | undefined;
  readonly committed?: () => void;
  /** What was stored before, and is now. */
  readonly stored?: { readonly before: MemoryData; readonly after: MemoryData };
}

/** Changes as the engine postgres makes them; what becomes of statements is decided by the memory engine. */
export class ModelRegistry implements Registry {
  readonly #parts: ModelRegistryParts;
  readonly #mutex = new KeyedMutex();
  /** When it was last asked for a source (`sourceKey`), as each poll does before it reads, in virtual ms. */
  readonly #asked = new Map<string, number>();

  constructor(parts: ModelRegistryParts) {
    this.#parts = parts;
  }

  /** Makes the first state, or the one that the order of sources of this configuration leads to. */
  async begin(): Promise<void> {
    const { database, options } = this.#parts;
    const { clock, random } = options;
    const now = clock.now();
    await database.write(async (session) => {
      await createHead(session, { epoch: Math.floor(random() * 2 ** 52).toString(36), now });
      const cell = { data: (await allIn(session, LOCK_ALL)).data };
      const before = cell.data.state;
      new MemoryRegistry(cell, options);
      await session.rows(WRITE_ALL, [cell.data]);
      if (!hasMoved(before, cell.data.state)) return;
      const head = { ...(await lockHead(session)), ...columnsOf(cell.data.state) };
      await moveTo(session, { head, summaries: cell.data.state.feed.sources }, now);
    });
  }

  async commit(change: SourceChange): Promise<ChangeCount> {
    const { onWrite, committed } = this.#parts.opener;
    const begun = change.documents.length > 0 ? this.#asked.get(sourceKey(change.source)) : undefined;
    if (change.documents.length > 0) onWrite();
    const { count, stored } = await this.#run(sourceKey(change.source), async (session) => {
      const { source, lease } = change;
      const outcome = await this.#change(session, source, (registry) => registry.commit(change), begun);
      return lease instanceof PostgresLease ? { ...outcome, committed: await lease.prove(session) } : outcome;
    });
    if (stored) committed({ change, ...stored });
    return count;
  }

  async commitOwn(change: OwnChange): Promise<ChangeCount> {
    const work = (registry: MemoryRegistry) => registry.commitOwn(change);
    return (await this.#run(sourceKey(LOCAL), (session) => this.#change(session, LOCAL, work))).count;
  }

  async forget(source: Source): Promise<void> {
    const work = async (registry: MemoryRegistry) => {
      await registry.forget(source);
      return NO_CHANGE;
    };
    await this.#run(sourceKey(source), (session) => this.#change(session, source, work));
  }

  async setNetwork(lists: NetworkLists): Promise<void> {
    const { options, published } = this.#parts;
    await this.#run('network', async (session) => ({
      count: NO_CHANGE,
      moved: await setNetwork(session, lists, { now: options.clock.now(), history: published }),
    }));
  }

  async source(source: Source): Promise<StoredSource | undefined> {
    this.#asked.set(sourceKey(source), this.#parts.opener.now());
    return (await this.sources()).find((one) => sameSource(one.source, source));
  }

  sources(): Promise<readonly StoredSource[]> {
    const { database, options } = this.#parts;
    return database.read(async (session) => {
      const { data } = await allIn(session, READ_ALL);
      return new MemoryRegistry({ data }, options).sources();
    });
  }

  close(): Promise<void> {
    return this.#parts.close();
  }

  async #change(
    session: Transaction,
    source: Source,
    work: (registry: MemoryRegistry) => Promise<ChangeCount>,
    begun?: number,
  ): Promise<Outcome> {
    const { options, published, node } = this.#parts;
    const now = options.clock.now();
    const { data: before, read } = await allIn(session, LOCK_ALL);
    const cell = { data: before };
    const count = await work(new MemoryRegistry(cell, options));
    const after = cell.data;
    const key = sourceKey(source);
    await session.rows(WRITE_ALL, [after, begun === undefined ? read : new Map(read).set(key, begun)]);
    let moved: Moved | undefined;
    if (hasMoved(before.state, after.state)) {
      // As a commit of the engine does it: of other sources counts what the latest state says of them.
      const { head, summaries } = await lockHistory(session, published);
      const others = summaries.filter((one) => !sameSource(one.source, source));
      const own = after.state.feed.sources.filter((one) => sameSource(one.source, source));
      const next = { ...head, ...columnsOf(after.state) };
      moved = await moveTo(session, { head: next, summaries: [...others, ...own] }, now);
    }
    const { record } = before.sources.get(key) ?? emptySource(source);
    const stored = after.sources.get(key);
    if (stored && (isOfThisNode(source) || stored.record.lastAttempt !== record.lastAttempt)) {
      await session.rows(NOTE_POLL, [numberOf(key), node]);
    }
    return { count, moved, stored: { before, after } };
  }

  #run(key: string, work: (session: Transaction) => Promise<Outcome>): Promise<Outcome> {
    const { database, published } = this.#parts;
    return this.#mutex.run(key, async () => {
      const { shown } = published;
      const outcome = await database.write(work);
      outcome.committed?.();
      if (outcome.moved) published.show(outcome.moved, shown);
      return outcome;
    });
  }
}

async function allIn(session: Session, statement: string): Promise<Tables> {
  return only(await session.rows<{ tables: Tables }>(statement), 'tables').tables;
}

function hasMoved(before: State, after: State): boolean {
  return before.feed.position !== after.feed.position || before.revision.number !== after.revision.number;
}

/** What a change of statements does to the head. */
function columnsOf({ revision, components, feed }: State): Partial<Head> {
  const { position, tombstones } = feed;
  return { revision: revision.number, since: revision.since, components, position, tombstones };
}
