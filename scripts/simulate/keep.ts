/** What a simulated node keeps its data in, in virtual time: a disk of its own, or a database that its processes share. */
import type { Source } from '../../src/component/source.js';
import { metadataOf } from '../../src/component/writing/listing-text.js';
import type { SourceRecord } from '../../src/core/source-record.js';
import type { Keep, Lease, Place, Row } from '../../src/keep/keep.js';
import { MemoryData, openMemory } from '../../src/keep/memory/memory-keep.js';
import type { Clock, Random } from '../../src/lib/clock.js';
import { type SourceRow, StatementReader } from '../../src/registry/rows.js';

/** Ms that each part of a write takes on a slow disk, or the way to a database. */
export const WRITING = 5;

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
  /** What is remembered of the source from then on. */
  readonly record: SourceRecord;
  readonly put: readonly Said[];
  /** What was said before the commit, and is no more. */
  readonly dropped: readonly Said[];
  /** When the poll began that has found it, in virtual ms, where processes take turns. */
  readonly begun: number | undefined;
}

/** An empty disk or database. It outlives the processes of its node. */
export function createStorage(now: () => number, random: Random): MemoryData {
  let drawn = 0;
  // The number makes it unique, whatever is drawn.
  const unique = () => `${Math.floor(random() * 2 ** 32).toString(36)}z${(++drawn).toString(36)}`;
  return new MemoryData({ clock: { now }, unique });
}

/** All that is stored of the registry, asked without delays. */
export async function storedIn(storage: MemoryData): Promise<Said[]> {
  const said: Said[] = [];
  for await (const { rows } of storage.service('registry').rows(['statement']))
    said.push(...rows.map(saidIn));
  return said;
}

interface Opening {
  readonly clock: Clock;
  readonly isShared: boolean;
  /** Called in the middle of each write, before anything of it is stored. */
  readonly onWrite: () => void;
  /** Told of every commit of what the node has read. */
  readonly committed: (reading: Reading) => void;
}

/** Opens the storage for a process. What is asked of it takes time, in which the process may end. */
export function openStorage(storage: MemoryData, opening: Opening): Place {
  const place = openMemory(storage, opening);
  // Nobody asks a simulated node for triples, which would be the larger part of what it stores.
  return {
    ...place,
    isQuadstore: false,
    keep: async (name) => slowKeep(await place.keep(name), storage, opening),
  };
}

function slowKeep(inner: Keep, storage: MemoryData, { clock, onWrite, committed }: Opening): Keep {
  /** When leases were taken: when the polls began. */
  const taken = new WeakMap<Lease, number>();
  const wait = () => clock.sleep(WRITING);
  return {
    trouble: undefined,
    quads: (graphs) => inner.quads(graphs),
    async commit(since, decide, lease) {
      await wait();
      onWrite();
      await wait();
      let reading: Omit<Reading, 'begun'> | undefined;
      const observed: typeof decide = async (changes) => {
        const writes = await decide(changes);
        reading = await readingIn(writes?.rows ?? [], storage);
        return writes;
      };
      const head = await inner.commit(since, observed, lease);
      if (reading) committed({ ...reading, begun: lease && taken.get(lease) });
      await wait();
      return head;
    },
    exclusively: (task) => wait().then(() => inner.exclusively(task)),
    get: (...asked) => wait().then(() => inner.get(...asked)),
    async *rows(...asked) {
      await wait();
      yield* inner.rows(...asked);
    },
    tail: (...asked) => inner.tail(...asked),
    async lease(name) {
      await wait();
      const lease = await inner.lease(name);
      if (lease) taken.set(lease, storage.options.clock.now());
      return lease;
    },
    close: () => inner.close(),
  };
}

const statements = new StatementReader();

function saidIn({ value = '' }: Pick<Row, 'value'>): Said {
  const { source, document, listed } = statements.read({ bytes: Buffer.from(value), seal: 0 });
  const { uri, label } = metadataOf(listed);
  return { source, document, uri, label };
}

/** What a commit is about to change of a source that was read; nothing for others, and for one that is forgotten. */
async function readingIn(rows: readonly Row[], storage: MemoryData) {
  const { value } = rows.find(({ table }) => table === 'source') ?? {};
  if (value === undefined) return undefined;
  const { source, record } = JSON.parse(value) as SourceRow;
  if (record.lastAttempt === undefined) return undefined;
  const changed = rows.filter(({ table }) => table === 'statement');
  const gone = changed.filter((row) => row.value === undefined).map(({ key }) => key);
  const dropped = [...(await storage.service('registry').get('statement', gone)).values()].map(saidIn);
  return { source, record, dropped, put: changed.filter((row) => row.value !== undefined).map(saidIn) };
}
