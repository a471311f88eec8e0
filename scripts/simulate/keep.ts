/** What a simulated node keeps its data in, in virtual time: a disk of its own, or a database that its processes share. */
import { type Source, sourceKey } from '../../src/component/source.js';
import { metadataOf } from '../../src/component/writing/listing-text.js';
import { type NetworkLists, NO_NETWORK } from '../../src/core/network-lists.js';
import { KeepUnavailable } from '../../src/keep/faults.js';
import type { Decide, Head, Keep, Lease, Place, Row, TailPart } from '../../src/keep/keep.js';
import { MemoryData, openMemory } from '../../src/keep/memory/memory-keep.js';
import type { StoredRow } from '../../src/keep/stored-row.js';
import type { Clock, Random } from '../../src/lib/clock.js';
import { OutcomeUnknown } from '../../src/lib/faults.js';
import { grouped } from '../../src/lib/grouped.js';
import { type Meta, type SourceRow, StatementReader } from '../../src/registry/rows.js';
import { SECOND, type VirtualTime } from './time.js';

/** Ms that each part of a write takes on a slow disk, or the way to a database. */
export const WRITING = 5;
/** How often it is looked what others have written, in ms: as often as on PostgreSQL. */
const LOOK_EVERY = 250;
/** How long it takes until another server takes writes. */
const FAILOVER = 8 * SECOND;

export const UNKNOWN = 'the database has failed in the middle of a commit';

/** What is stored of a statement, as far as rules ask for it. */
export interface Said {
  readonly source: Source;
  readonly document: string;
  readonly uri: string;
  readonly label: string;
}

/** What a node has committed of what it has read of a source. */
export interface Reading {
  readonly source: Source;
  /** What was said before the commit, and is no more. */
  readonly dropped: readonly Said[];
  /** Statements of the source before the commit. */
  readonly held: number;
  /** Was what a peer has said found to differ from its digests, so that it is read anew? */
  readonly isRepair: boolean;
  /** Does it tell of documents, and not only when the source was read? */
  readonly isOfDocuments: boolean;
}

/** What a node has stored. */
export interface Stored {
  readonly head: Head;
  /** By `sourceKey`. */
  readonly sources: ReadonlyMap<string, SourceRow>;
  readonly said: ReadonlyMap<string, readonly Said[]>;
  readonly network: NetworkLists;
  readonly revisions: Pick<Meta, 'revision' | 'networkRevision'> | undefined;
  /** The states that are remembered, the latest one last, `<position> <digest>`. */
  readonly states: readonly string[];
}

export interface StorageParts {
  readonly time: VirtualTime;
  readonly random: Random;
  /** Do several processes share it, as a database? */
  readonly isShared: boolean;
  /** Does it take time to ask the storage, in which a machine may break down? */
  readonly isSlow: boolean;
  /** Told of every commit of what the node has read. */
  readonly committed: (reading: Reading) => void;
  /** Told of a source of which an earlier reading was stored over a later one. */
  readonly overtaken: (source: string) => void;
}

/** The process that opens a storage. */
export interface Opener {
  readonly clock: Clock;
  /** Told in the middle of each write of documents. */
  readonly onWrite: () => void;
}

/** It outlives the processes of the node. */
export class Storage {
  readonly parts: StorageParts;
  readonly #memory: MemoryData;
  #stored: Stored | undefined;
  /** By source (`sourceKey`): when the poll began that was stored last, in virtual ms. */
  #readings = new Map<string, number>();
  #failovers = 0;
  #awayUntil = 0;

  constructor(parts: StorageParts) {
    this.parts = parts;
    const { time, random } = parts;
    let drawn = 0;
    const unique = () => {
      drawn += 1;
      // The number makes it unique, whatever is drawn.
      return `${Math.floor(random() * 2 ** 32).toString(36)}z${drawn.toString(36)}`;
    };
    this.#memory = new MemoryData({ clock: { now: () => time.now }, unique });
  }

  /** As a process opens it. */
  open(opener: Opener): Place {
    const { isShared } = this.parts;
    const place = openMemory(this.#memory, { clock: opener.clock, isShared });
    const keep: Place['keep'] = async (name) => new SimulatedKeep(await place.keep(name), this, opener);
    return { isShared, keep, close: () => place.close() };
  }

  /** What it holds of the registry, asked without delays. */
  get registry(): Pick<Keep, 'rows' | 'get'> & { readonly head: Head } {
    return this.#memory.service('registry');
  }

  async stored(): Promise<Stored> {
    const { head } = this.registry;
    if (this.#stored?.head.mark !== head.mark) this.#stored = await readAll(this.registry);
    return this.#stored;
  }

  async saidBy(source: Source): Promise<readonly Said[]> {
    return (await this.stored()).said.get(sourceKey(source)) ?? [];
  }

  /** How often another server has taken the place of the one before. */
  get failovers(): number {
    return this.#failovers;
  }

  /** Why nothing can be asked at present. */
  get trouble(): Keep['trouble'] {
    if (this.parts.time.now >= this.#awayUntil) return undefined;
    return { kind: 'unreachable', since: this.#awayUntil - FAILOVER, error: 'the database is away' };
  }

  /** Makes a backup. The function puts it in the place of what there is then. */
  backup(): () => void {
    const [data, readings] = [this.#memory.backup(), new Map(this.#readings)];
    return () => {
      this.#memory.restore(data);
      this.#readings = new Map(readings);
    };
  }

  /** Another server takes its place, which has what there was at a backup; meanwhile there is none. */
  failOver(putBack: () => void): void {
    putBack();
    this.#failovers += 1;
    this.#awayUntil = this.parts.time.now + FAILOVER;
  }

  /** Takes note of what a process has committed. `begun`: when the poll began that has found it, where that is known. */
  noted(reading: Reading, begun: number | undefined): void {
    if (reading.isOfDocuments && begun !== undefined) {
      const key = sourceKey(reading.source);
      if (begun < (this.#readings.get(key) ?? 0)) this.parts.overtaken(key);
      this.#readings.set(key, begun);
    }
    this.parts.committed(reading);
  }
}

/** What a process of a simulated node has its storage by. What is asked of a slow one takes time, in which the process may end. */
class SimulatedKeep implements Keep {
  /** Nobody asks a simulated node for triples, which would be the larger part of what it stores. */
  readonly holdsQuads = false;
  readonly #inner: Keep;
  readonly #storage: Storage;
  readonly #opener: Opener;
  /** When leases were taken: when the polls began, in virtual ms. */
  readonly #taken = new WeakMap<Lease, number>();

  constructor(inner: Keep, storage: Storage, opener: Opener) {
    this.#inner = inner;
    this.#storage = storage;
    this.#opener = opener;
  }

  get trouble(): Keep['trouble'] {
    return this.#storage.trouble;
  }

  async commit(since: Head, decide: Decide, lease?: Lease): Promise<Head> {
    const storage = this.#storage;
    await this.#reach();
    // What is going to be written, should nobody else write meanwhile.
    const foreseen = await decide({ head: since, rows: [] });
    if (isOfDocuments(foreseen?.rows)) this.#opener.onWrite();
    await this.#reach();
    const { failovers } = storage;
    let reading: Reading | undefined;
    const decided: Decide = async (changes) => {
      const writes = await decide(changes);
      reading = await readingIn(writes?.rows ?? [], storage);
      return writes;
    };
    const head = await this.#inner.commit(since, decided, lease);
    if (reading) storage.noted(reading, lease && this.#taken.get(lease));
    await this.#wait();
    if (storage.failovers !== failovers) throw new OutcomeUnknown(UNKNOWN);
    return head;
  }

  exclusively: Keep['exclusively'] = async (task) => {
    await this.#reach();
    return this.#inner.exclusively(task);
  };

  async *rows(...asked: Parameters<Keep['rows']>): ReturnType<Keep['rows']> & AsyncGenerator {
    await this.#reach();
    yield* this.#inner.rows(...asked);
  }

  async get(...asked: Parameters<Keep['get']>): ReturnType<Keep['get']> {
    await this.#reach();
    return this.#inner.get(...asked);
  }

  async *quads(...asked: Parameters<Keep['quads']>): ReturnType<Keep['quads']> & AsyncGenerator {
    await this.#reach();
    yield* this.#inner.quads(...asked);
  }

  /** Looks again and again: a process that stands still, or has ended, must not notice anything. */
  async *tail(since: Head, signal: AbortSignal): AsyncGenerator<TailPart> {
    for (let known = since; ; ) {
      await this.#opener.clock.sleep(LOOK_EVERY, signal).catch(() => undefined);
      if (signal.aborted) return;
      if (this.#storage.trouble || this.#storage.registry.head.mark === known.mark) continue;
      for await (const part of this.#inner.tail(known, signal)) {
        yield part;
        known = part.head ?? known;
        break;
      }
    }
  }

  async lease(name: string): Promise<Lease | undefined> {
    await this.#reach();
    const lease = await this.#inner.lease(name);
    if (lease) this.#taken.set(lease, this.#storage.parts.time.now);
    return lease;
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  /** @throws KeepUnavailable */
  async #reach(): Promise<void> {
    await this.#wait();
    const { trouble } = this.#storage;
    if (this.#storage.parts.isSlow && trouble) throw new KeepUnavailable(trouble.error);
  }

  async #wait(): Promise<void> {
    if (this.#storage.parts.isSlow) await this.#opener.clock.sleep(WRITING);
  }
}

const statements = new StatementReader();
/** What was read of a row. Keeps in memory give the same object for the same row, backups included. */
const read = new WeakMap<StoredRow, unknown>();

function once<T>(row: StoredRow, make: () => T): T {
  const known = read.get(row) as T | undefined;
  if (known !== undefined) return known;
  const made = make();
  read.set(row, made);
  return made;
}

function saidIn(row: StoredRow): Said {
  return once(row, () => {
    const { source, document, listed } = statements.read(row.bytes);
    const { uri, label } = metadataOf(listed);
    return { source, document, uri, label };
  });
}

async function readAll({ rows, head }: Storage['registry']): Promise<Stored> {
  const found: StoredRow[] = [];
  for await (const batch of rows(['meta', 'source', 'state', 'statement'])) found.push(...batch.rows);
  const of = (table: string) => found.filter((row) => row.table === table);
  const parsed = <T>(row: StoredRow): T => once(row, () => JSON.parse(row.value) as T);
  const meta = new Map(of('meta').map((row) => [row.key, parsed(row)]));
  const sources = of('source').map((row) => parsed<SourceRow>(row));
  return {
    head,
    said: grouped(of('statement').map(saidIn), ({ source }) => sourceKey(source)),
    sources: new Map(sources.map((row) => [sourceKey(row.source), row])),
    network: (meta.get('network') as NetworkLists | undefined) ?? NO_NETWORK,
    revisions: meta.get('registry') as Meta | undefined,
    states: of('state').flatMap((row) => parsed<{ lines: string[] }>(row).lines),
  };
}

/** Does a commit change what is remembered of documents? */
function isOfDocuments(rows: readonly Row[] = []): boolean {
  return rows.some(({ table }) => table === 'document' || table === 'statement');
}

/** What a commit is about to change of a source that was read; nothing for others, and for one that is forgotten. */
async function readingIn(rows: readonly Row[], storage: Storage): Promise<Reading | undefined> {
  const { key = '', value } = rows.find(({ table }) => table === 'source') ?? {};
  if (value === undefined) return undefined;
  const { source, record } = JSON.parse(value) as SourceRow;
  if (record.lastAttempt === undefined) return undefined;
  const gone = rows.filter((row) => row.table === 'statement' && row.value === undefined);
  const keys = gone.map((row) => row.key);
  const dropped = [...(await storage.registry.get('statement', keys)).values()].map(saidIn);
  const { disagrees = false, lastAttempt } = record;
  const before = disagrees ? (await storage.registry.get('source', [key])).get(key) : undefined;
  const isAnother = !before || (JSON.parse(before.value) as SourceRow).record.lastAttempt !== lastAttempt;
  return {
    ...{ source, dropped, isRepair: disagrees && isAnother, isOfDocuments: isOfDocuments(rows) },
    held: dropped.length === 0 ? 0 : (await storage.saidBy(source)).length,
  };
}
