import type { NamedNode, Quad } from '@rdfjs/types';
import type { Clock } from '../../lib/clock.js';
import type { Pace } from '../../lib/pace.js';
import { type CheckedWrites, checkedWrites, isNothing, NO_WRITES } from '../checked-writes.js';
import { HeadUnknown, KeepUnavailable } from '../faults.js';
import { HeldLeases } from '../held-leases.js';
import type { Decide, Head, Keep, Lease, Reads, Row, RowBatch, TailPart, Trouble, Writes } from '../keep.js';
import type { Database, Session, Work } from './database.js';
import { FORGETTING, forgetDeleted, hasHead, lockHead, moveHead, readHead, standingOf } from './head.js';
import { proveLease, releaseLease, renewLeases, takeLease } from './leases.js';
import type { Readers } from './readers.js';
import { StoredQuads } from './stored-quads.js';
import { StoredRows } from './stored-rows.js';

/** How often it is looked whether others have committed, in ms. */
const LOOKS = 250;
/** Rows that a commit reads while others wait for it: some tenths of a second. */
const FEW = 10_000;

export interface PostgresKeepParts {
  readonly database: Database;
  readonly readers: Readers;
  readonly service: string;
  /** Are quads kept, or the rows of the service alone? */
  readonly holdsQuads: boolean;
  readonly clock: Clock;
  readonly pace: Pace;
  /** Draws epochs, marks and fences. */
  readonly unique: () => string;
}

/** What one service has stored in a database, which several nodes may share. */
export class PostgresKeep implements Keep {
  readonly #parts: PostgresKeepParts;
  readonly #leases: HeldLeases;
  readonly #closing = new AbortController();
  readonly #commits = new Set<Promise<unknown>>();

  constructor(parts: PostgresKeepParts) {
    const { clock, database, service } = parts;
    this.#parts = parts;
    const renew = (leases: readonly Lease[]) =>
      database.run((session) => renewLeases(session, service, leases));
    this.#leases = new HeldLeases({ clock, renew });
  }

  get trouble(): Trouble | undefined {
    return this.#parts.database.trouble;
  }

  get holdsQuads(): boolean {
    return this.#parts.holdsQuads;
  }

  commit(since: Head, decide: Decide, lease?: Lease): Promise<Head> {
    return this.#during(async () => {
      const told = new Map<string, Row>();
      for (let known = since; ; ) {
        const head = await this.#tryToCommit(known, told, { decide, lease });
        if (head !== 'far behind') return head;
        known = await this.#readAhead(known, told);
      }
    });
  }

  exclusively: Keep['exclusively'] = (task) =>
    this.#during(() =>
      this.#writing(async (session, now) => {
        const { result, ...writes } = await task(this.#readsIn(session));
        const checked = await this.#checked(writes);
        if (isNothing(checked)) return { result };
        return { ...(await this.#store(session, checked, now)), result };
      }),
    );

  async *rows(tables: readonly string[], prefix?: string): AsyncGenerator<RowBatch> {
    yield* this.#reading((session) => this.#readsIn(session).rows(tables, prefix));
  }

  async get(table: string, keys: readonly string[]): ReturnType<Keep['get']> {
    this.#refuseClosed();
    if (keys.length === 0) return new Map();
    return this.#parts.database.run((session) => this.#rowsIn(session).get(table, keys));
  }

  async *quads(graphs: readonly NamedNode[]): AsyncGenerator<readonly Quad[]> {
    yield* this.#reading((session) => this.#readsIn(session).quads(graphs));
  }

  async *tail(since: Head, signal: AbortSignal): AsyncGenerator<TailPart> {
    this.#refuseClosed();
    const { clock } = this.#parts;
    const ended = AbortSignal.any([signal, this.#closing.signal]);
    let known = since;
    while (!ended.aborted) {
      try {
        for await (const part of this.#changesSince(known)) {
          if (ended.aborted) return;
          yield part;
          known = part.head ?? known;
        }
      } catch (error) {
        if (ended.aborted) return;
        // Told of in the trouble of the keep; after a while it answers again.
        if (!(error instanceof KeepUnavailable)) throw error;
      }
      // Rejects when the tail is ended.
      await clock.sleep(LOOKS, ended).catch(() => undefined);
    }
  }

  async lease(name: string): Promise<Lease | undefined> {
    this.#refuseClosed();
    const { database, service, unique } = this.#parts;
    const fence = unique();
    const taken = await database.write(async (session) => ({
      result: await takeLease(session, service, { name, fence }),
    }));
    if (!taken) return undefined;
    const lease: Lease = {
      name,
      fence,
      release: async () => {
        this.#leases.delete(lease);
        // What could not be given back ends by itself, as the leases of nodes do that have died.
        await database.run((session) => releaseLease(session, service, lease)).catch(() => undefined);
      },
    };
    this.#leases.add(lease);
    return lease;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#leases.close();
    await Promise.allSettled(this.#commits);
  }

  /** Nothing is decided, and nobody waits, while there is too much to be read. `told`: what has been read of changes, by table and key. */
  async #tryToCommit(
    known: Head,
    told: Map<string, Row>,
    { decide, lease }: { readonly decide: Decide; readonly lease: Lease | undefined },
  ): Promise<Head | 'far behind'> {
    const { service } = this.#parts;
    const head = await this.#writing<Head | 'far behind' | undefined>(async (session, now) => {
      if (!(await this.#isPart(session, known, now))) return this.#beginEpoch(session, known, now);
      if (lease) await proveLease(session, service, lease);
      if (known.mark !== now.mark && !(await this.#takeFew(session, known, told)))
        return { result: 'far behind' };
      const writes = await decide({ head: now, rows: [...told.values()] });
      return writes ? this.#store(session, await this.#checked(writes), now) : { result: now };
    });
    if (!head) throw new HeadUnknown();
    return head;
  }

  /** @returns false where there are more than may be read while others wait */
  async #takeFew(session: Session, known: Head, told: Map<string, Row>): Promise<boolean> {
    let count = 0;
    for await (const rows of this.#rowsIn(session).since(known.version)) {
      count += rows.length;
      if (count > FEW) return false;
      take(rows, told);
    }
    return true;
  }

  /** Reads what has been written since a head, while others may commit. @returns the head up to which it is read */
  async #readAhead(known: Head, told: Map<string, Row>): Promise<Head> {
    let found: Head | undefined;
    for await (const part of this.#parts.database.reading((session) => this.#partsSince(session, known))) {
      if (part === 'unknown') continue;
      take(part.rows, told);
      found = part.head;
    }
    // Where the head is unknown meanwhile, the next try says so.
    return found ?? known;
  }

  /** Nothing where the head is still the known one. @throws HeadUnknown */
  async *#changesSince(known: Head): AsyncGenerator<TailPart> {
    const { database, service } = this.#parts;
    const now = await database.look((session) => readHead(session, service));
    if (now.mark === known.mark) return;
    let isKnown = true;
    const parts = (session: Session) => this.#partsSince(session, known);
    for await (const part of database.reading(parts)) {
      isKnown = part !== 'unknown';
      if (part !== 'unknown') yield part;
    }
    if (isKnown) return;
    await this.#during(() => this.#writing(async (session, head) => this.#beginEpoch(session, known, head)));
    throw new HeadUnknown();
  }

  async *#partsSince(session: Session, known: Head): AsyncGenerator<TailPart | 'unknown'> {
    const head = await readHead(session, this.#parts.service);
    if (await this.#isPart(session, known, head)) {
      for await (const rows of this.#rowsIn(session).since(known.version)) yield { rows };
      yield { rows: [], head };
    } else yield 'unknown';
  }

  async #isPart(session: Session, known: Head, now: Head): Promise<boolean> {
    return (await standingOf(session, this.#parts.service, known, now)) === 'part of it';
  }

  /** Where nobody has done so: whoever notices first that the database has lost commits begins another epoch. */
  async #beginEpoch(session: Session, known: Head, now: Head): Promise<Work<undefined>> {
    const { service, unique } = this.#parts;
    if ((await standingOf(session, service, known, now)) !== 'of another history')
      return { result: undefined };
    return { ...(await this.#store(session, NO_WRITES, { ...now, epoch: unique() })), result: undefined };
  }

  #checked(writes: Writes): Promise<CheckedWrites> {
    return checkedWrites(writes, this.#parts.pace());
  }

  async #store(session: Session, writes: CheckedWrites, before: Head): Promise<Work<Head>> {
    const { service, unique, holdsQuads } = this.#parts;
    const head: Head = { epoch: before.epoch, version: before.version + 1, mark: unique() };
    await this.#rowsIn(session).write(writes.rows, head);
    if (holdsQuads) await this.#quadsIn(session).write(writes);
    await moveHead(session, service, head);
    return { result: head, hasCommitted: (asking) => hasHead(asking, service, head) };
  }

  /** Runs a transaction that has the head. */
  async #writing<T>(work: (session: Session, head: Head) => Promise<Work<T>>): Promise<T> {
    const { database, service } = this.#parts;
    let version = 0;
    const result = await database.write(async (session) => {
      const head = await lockHead(session, service);
      version = head.version;
      return work(session, head);
    });
    if (version % FORGETTING === 0) void this.#during(() => this.#forget()).catch(() => undefined);
    return result;
  }

  /** What fails here is tried again after some more commits. */
  async #forget(): Promise<void> {
    const { database, service } = this.#parts;
    while (!this.#closing.signal.aborted)
      if (!(await database.run((session) => forgetDeleted(session, service), 0))) return;
  }

  /** What closing waits for. */
  async #during<T>(commit: () => Promise<T>): Promise<T> {
    this.#refuseClosed();
    const running = commit();
    this.#commits.add(running);
    try {
      return await running;
    } finally {
      this.#commits.delete(running);
    }
  }

  async *#reading<T>(read: (session: Session) => AsyncIterable<T>): AsyncGenerator<T> {
    this.#refuseClosed();
    yield* this.#parts.readers.reading(read);
  }

  #readsIn(session: Session): Reads {
    const rows = this.#rowsIn(session);
    const quads = this.#quadsIn(session);
    const { service, holdsQuads } = this.#parts;
    return {
      get: (table, keys) => rows.get(table, keys),
      async *rows(tables, prefix = '') {
        const head = await readHead(session, service);
        for (const table of tables)
          for await (const some of rows.table(table, prefix)) yield { head, table, rows: some };
      },
      async *quads(graphs) {
        for (const graph of holdsQuads ? graphs : []) yield* quads.graph(graph);
      },
    };
  }

  #rowsIn(session: Session): StoredRows {
    return new StoredRows(session, this.#parts.service);
  }

  #quadsIn(session: Session): StoredQuads {
    return new StoredQuads(session, this.#parts.service);
  }

  #refuseClosed(): void {
    if (this.#closing.signal.aborted) throw new Error('The keep is closed');
  }
}

/** Whatever was told of a row before is older. */
function take(rows: readonly Row[], told: Map<string, Row>): void {
  for (const row of rows) told.set(`${row.table} ${row.key}`, row);
}
