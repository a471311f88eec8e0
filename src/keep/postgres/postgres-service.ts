import type { NamedNode, Quad } from '@rdfjs/types';
import type PQueue from 'p-queue';
import type { Clock } from '../../lib/clock.js';
import type { Pace } from '../../lib/pace.js';
import { type CheckedWrites, checkedWrites, isNothing, NO_WRITES } from '../checked-writes.js';
import { HeadUnknown, KeepUnavailable } from '../faults.js';
import type { Decide, Head, Keep, Lease, Reads, Row, RowBatch, TailPart, Trouble, Writes } from '../keep.js';
import { quadRows, quadsInRows } from '../quad-rows.js';
import type { Engine, LeaseName } from '../service-keep.js';
import type { Database, Session, Work } from './database.js';
import { FORGETTING, forgetDeleted, hasHead, lockHead, moveHead, readHead, standingOf } from './head.js';
import { proveLease, releaseLease, renewLeases, takeLease } from './leases.js';
import { StoredRows } from './stored-rows.js';

/** How often it is looked whether others have committed, in ms. */
const LOOKS = 250;
/** Rows that a commit reads while others wait for it: some tenths of a second. */
const FEW = 10_000;

export interface PostgresServiceParts {
  readonly database: Database;
  /**
   * Reads of one state last as long as somebody takes what is read, and each has a connection for itself: those are bounded, so that
   * commits and single rows never wait for slow readers.
   */
  readonly readers: PQueue;
  readonly service: string;
  /** Are quads kept, or the rows of the service alone? */
  readonly holdsQuads: boolean;
  readonly clock: Clock;
  readonly pace: Pace;
  /** Draws epochs and marks. */
  readonly unique: () => string;
}

/** What one service has stored in a database, which several nodes may share. */
export class PostgresService implements Engine {
  readonly holdsQuads: boolean;
  readonly #parts: PostgresServiceParts;

  constructor(parts: PostgresServiceParts) {
    this.#parts = parts;
    this.holdsQuads = parts.holdsQuads;
  }

  get trouble(): Trouble | undefined {
    return this.#parts.database.trouble;
  }

  async commit(since: Head, decide: Decide, lease?: Lease): Promise<Head> {
    const told = new Map<string, Row>();
    for (let known = since; ; ) {
      const head = await this.#tryToCommit(known, told, { decide, lease });
      if (head !== 'far behind') return head;
      known = await this.#readAhead(known, told);
    }
  }

  exclusively: Keep['exclusively'] = (task) =>
    this.#writing(async (session, now) => {
      const { result, ...writes } = await task(this.#readsIn(session));
      const checked = await this.#checked(writes);
      if (isNothing(checked)) return { result };
      return { ...(await this.#store(session, checked, now)), result };
    });

  async *rows(tables: readonly string[], prefix?: string): AsyncGenerator<RowBatch> {
    const { database, readers } = this.#parts;
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    await new Promise<void>((begin) => {
      void readers.add(() => {
        begin();
        return ended;
      });
    });
    try {
      yield* database.reading((session) => this.#readsIn(session).rows(tables, prefix));
    } finally {
      end();
    }
  }

  async get(table: string, keys: readonly string[]): ReturnType<Keep['get']> {
    if (keys.length === 0) return new Map();
    return this.#parts.database.run((session) => this.#rowsIn(session).get(table, keys));
  }

  quads(graphs: readonly NamedNode[]): AsyncGenerator<readonly Quad[]> {
    return quadsInRows(this, graphs);
  }

  async *tail(since: Head, signal: AbortSignal): AsyncGenerator<TailPart> {
    for (let known = since; !signal.aborted; ) {
      try {
        for await (const part of this.#changesSince(known)) {
          if (signal.aborted) return;
          yield part;
          known = part.head ?? known;
        }
      } catch (error) {
        if (signal.aborted) return;
        // Told of in the trouble of the keep; after a while it answers again.
        if (!(error instanceof KeepUnavailable)) throw error;
      }
      // Rejects when the tail is ended.
      await this.#parts.clock.sleep(LOOKS, signal).catch(() => undefined);
    }
  }

  takeLease(lease: LeaseName): Promise<boolean> {
    return this.#parts.database.run((session) => takeLease(session, this.#parts.service, lease));
  }

  renewLeases(leases: readonly LeaseName[]): Promise<void> {
    return this.#parts.database.run((session) => renewLeases(session, this.#parts.service, leases));
  }

  releaseLease(lease: LeaseName): Promise<void> {
    return this.#parts.database.run((session) => releaseLease(session, this.#parts.service, lease));
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
    for await (const part of database.reading((session) => this.#partsSince(session, known))) {
      isKnown = part !== 'unknown';
      if (part !== 'unknown') yield part;
    }
    if (isKnown) return;
    await this.#writing(async (session, head) => this.#beginEpoch(session, known, head));
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
    const { service, unique } = this.#parts;
    const head: Head = { epoch: before.epoch, version: before.version + 1, mark: unique() };
    const quads = this.holdsQuads ? quadRows(writes) : [];
    await this.#rowsIn(session).write([...writes.rows, ...quads], head);
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
    // What fails here is tried again after some more commits; nobody waits for it.
    if (version % FORGETTING === 0) void this.#forget().catch(() => undefined);
    return result;
  }

  async #forget(): Promise<void> {
    const { database, service } = this.#parts;
    while (await database.run((session) => forgetDeleted(session, service), 0));
  }

  #readsIn(session: Session): Reads {
    const stored = this.#rowsIn(session);
    const { service } = this.#parts;
    const reads: Reads = {
      get: (table, keys) => stored.get(table, keys),
      async *rows(tables, prefix = '') {
        const head = await readHead(session, service);
        for (const table of tables)
          for await (const rows of stored.table(table, prefix)) yield { head, table, rows };
      },
      quads: (graphs) => quadsInRows(reads, graphs),
    };
    return reads;
  }

  #rowsIn(session: Session): StoredRows {
    return new StoredRows(session, this.#parts.service);
  }
}

/** Whatever was told of a row before is older. */
function take(rows: readonly Row[], told: Map<string, Row>): void {
  for (const row of rows) told.set(`${row.table} ${row.key}`, row);
}
