import type { NamedNode, Quad } from '@rdfjs/types';
import type PQueue from 'p-queue';
import type { Clock } from '../../lib/clock.js';
import type { Pace } from '../../lib/pace.js';
import { type CheckedWrites, checkedWrites, isNothing, NO_WRITES } from '../checked-writes.js';
import { HeadUnknown, KeepUnavailable } from '../faults.js';
import type { Decide, Head, Keep, Lease, Reads, Row, RowBatch, TailPart, Trouble } from '../keep.js';
import { quadRows, quadsInRows } from '../quad-rows.js';
import type { Engine, LeaseName } from '../service-keep.js';
import type { Database, Session, Work } from './database.js';
import { FORGETTING, ServiceTables } from './service-tables.js';

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
      const head = await this.#writing<Head | 'unknown' | 'far behind'>(async (tables, now) => {
        if ((await tables.standing(known, now)) !== 'part of it')
          return { ...(await this.#beginEpoch(tables, known, now)), result: 'unknown' };
        if (lease) await tables.proveLease(lease);
        // Nothing is decided, and nobody waits, while there is too much to be read.
        if (known.mark !== now.mark && !(await takeFew(tables, known, told))) return { result: 'far behind' };
        const writes = await decide({ head: now, rows: [...told.values()] });
        if (!writes) return { result: now };
        return this.#store(tables, await checkedWrites(writes, this.#parts.pace()), now);
      });
      if (head === 'unknown') throw new HeadUnknown();
      if (head !== 'far behind') return head;
      for await (const part of this.#since(known)) {
        take(part.rows, told);
        known = part.head ?? known;
      }
    }
  }

  exclusively: Keep['exclusively'] = (task) =>
    this.#writing(async (tables, now) => {
      const { result, ...writes } = await task(this.#readsIn(tables));
      const checked = await checkedWrites(writes, this.#parts.pace());
      return isNothing(checked) ? { result } : { ...(await this.#store(tables, checked, now)), result };
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
      yield* database.reading((session) => this.#readsIn(this.#tablesIn(session)).rows(tables, prefix));
    } finally {
      end();
    }
  }

  async get(table: string, keys: readonly string[]): ReturnType<Keep['get']> {
    return keys.length === 0 ? new Map() : this.#run((tables) => tables.get(table, keys));
  }

  quads(graphs: readonly NamedNode[]): AsyncGenerator<readonly Quad[]> {
    return quadsInRows(this, graphs);
  }

  async *tail(since: Head, signal: AbortSignal): AsyncGenerator<TailPart> {
    const { database, clock } = this.#parts;
    for (let known = since; !signal.aborted; ) {
      try {
        const now = await database.look((session) => this.#tablesIn(session).head());
        for await (const part of now.mark === known.mark ? [] : this.#since(known)) {
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
      await clock.sleep(LOOKS, signal).catch(() => undefined);
    }
  }

  takeLease(lease: LeaseName): Promise<boolean> {
    return this.#run((tables) => tables.takeLease(lease));
  }

  renewLeases(leases: readonly LeaseName[]): Promise<void> {
    return this.#run((tables) => tables.renewLeases(leases));
  }

  releaseLease(lease: LeaseName): Promise<void> {
    return this.#run((tables) => tables.releaseLease(lease));
  }

  /** What has been written since a head, of one state. @throws HeadUnknown */
  async *#since(known: Head): AsyncGenerator<TailPart> {
    try {
      yield* this.#parts.database.reading((session) => partsSince(this.#tablesIn(session), known));
    } catch (error) {
      if (error instanceof HeadUnknown)
        await this.#writing((tables, now) => this.#beginEpoch(tables, known, now));
      throw error;
    }
  }

  /** Where nobody has done so: whoever notices first that the database has lost commits begins another epoch. */
  async #beginEpoch(tables: ServiceTables, known: Head, now: Head): Promise<Work<Head>> {
    if ((await tables.standing(known, now)) !== 'of another history') return { result: now };
    return this.#store(tables, NO_WRITES, { ...now, epoch: this.#parts.unique() });
  }

  async #store(tables: ServiceTables, writes: CheckedWrites, { epoch, version }: Head): Promise<Work<Head>> {
    const head: Head = { epoch, version: version + 1, mark: this.#parts.unique() };
    const quads = this.holdsQuads ? quadRows(writes) : [];
    await tables.write([...writes.rows, ...quads], head);
    await tables.moveHead(head);
    return { result: head, hasCommitted: (asking) => this.#tablesIn(asking).hasHead(head) };
  }

  /** Runs a transaction that has the head. */
  async #writing<T>(work: (tables: ServiceTables, head: Head) => Promise<Work<T>>): Promise<T> {
    let version = 0;
    const result = await this.#parts.database.write(async (session) => {
      const tables = this.#tablesIn(session);
      const head = await tables.head('FOR UPDATE');
      version = head.version;
      return work(tables, head);
    });
    // What fails here is tried again after some more commits; nobody waits for it.
    if (version % FORGETTING === 0) void this.#forget().catch(() => undefined);
    return result;
  }

  async #forget(): Promise<void> {
    while (await this.#run((tables) => tables.forgetDeleted(), 0));
  }

  #readsIn(tables: ServiceTables): Reads {
    const reads: Reads = {
      get: (table, keys) => tables.get(table, keys),
      async *rows(names, prefix = '') {
        const head = await tables.head();
        for (const table of names)
          for await (const rows of tables.table(table, prefix)) yield { head, table, rows };
      },
      quads: (graphs) => quadsInRows(reads, graphs),
    };
    return reads;
  }

  #run<T>(work: (tables: ServiceTables) => Promise<T>, patienceMs?: number): Promise<T> {
    return this.#parts.database.run((session) => work(this.#tablesIn(session)), patienceMs);
  }

  #tablesIn(session: Session): ServiceTables {
    return new ServiceTables(session, this.#parts.service);
  }
}

/** @throws HeadUnknown */
async function* partsSince(tables: ServiceTables, known: Head): AsyncGenerator<TailPart> {
  const head = await tables.head();
  if ((await tables.standing(known, head)) !== 'part of it') throw new HeadUnknown();
  for await (const rows of tables.since(known.version)) yield { rows };
  yield { rows: [], head };
}

/** @returns false where there are more than may be read while others wait */
async function takeFew(tables: ServiceTables, known: Head, told: Map<string, Row>): Promise<boolean> {
  let count = 0;
  for await (const rows of tables.since(known.version)) {
    count += rows.length;
    if (count > FEW) return false;
    take(rows, told);
  }
  return true;
}

/** Whatever was told of a row before is older. */
function take(rows: readonly Row[], told: Map<string, Row>): void {
  for (const row of rows) told.set(`${row.table} ${row.key}`, row);
}
