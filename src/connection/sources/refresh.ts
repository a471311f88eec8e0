import type { Quad } from '@rdfjs/types';
import { DataFactory } from 'n3';
import PQueue from 'p-queue';
import type { Clock } from '../../lib/clock.js';
import { HostQueues } from '../../lib/fetch/host-queues.js';
import { type CachedResource, graphOf } from '../records/cached-resource.js';
import { type Connection, documentsOf } from '../records/connection.js';
import type { ChangeRecords, RecordChange, Records } from '../records/records.js';
import type { Reading, ReadSource } from './source-reading.js';

/** At most this many documents of one host are read at once, over all holders. */
const PER_HOST = 2;
/** At most this many documents of one holder are read at once, so that slow ones keep no other holder waiting. */
const PER_HOLDER = 4;

export interface RefreshParts {
  readonly records: Records;
  readonly changeRecords: ChangeRecords;
  readonly read: ReadSource;
  readonly clock: Clock;
  /** At most this many documents are read at once. */
  readonly concurrency: number;
  /** Aborts the requests under way. */
  readonly signal: AbortSignal;
}

/** Reads the documents of connections again. Resolves when each reading has succeeded or failed, which the records say. */
export type Refresh = (connections: readonly Connection[]) => Promise<void>;

export function createRefresh(parts: RefreshParts): Refresh {
  const hosts = new HostQueues(PER_HOST, parts.concurrency);
  const holders = new Map<string, PQueue>();
  const underWay = new Map<string, Promise<void>>();

  const inTurnOf = async (holder: string, task: () => Promise<void>): Promise<void> => {
    const queue = holders.get(holder) ?? new PQueue({ concurrency: PER_HOLDER });
    holders.set(holder, queue);
    try {
      await queue.add(task);
    } finally {
      if (queue.size + queue.pending === 0) holders.delete(holder);
    }
  };

  /** Reads a document for a connection. Requests that come while it is being read wait for the same reading. */
  const once = (connection: Connection, uri: string): Promise<void> => {
    const key = JSON.stringify([connection, uri]);
    const reading =
      underWay.get(key) ??
      inTurnOf(connection.holder, () => hosts.run(uri, () => refreshOne(parts, connection, uri))).finally(
        () => underWay.delete(key),
      );
    underWay.set(key, reading);
    return reading;
  };

  return async (connections) => {
    await Promise.all(connections.flatMap((one) => documentsOf(one).map((uri) => once(one, uri))));
  };
}

/** Reads one document, and stores the result unless the connection was changed or deleted meanwhile. */
async function refreshOne(parts: RefreshParts, connection: Connection, url: string): Promise<void> {
  const { records, changeRecords, read, clock, signal } = parts;
  signal.throwIfAborted();
  const before = unread(connection, url);
  const known = await records.get('resource', before);
  const reading = await read({ url, known, connection, signal });
  const change = resourceAfter(known ?? before, reading, clock.now());
  await changeRecords(async (now) => {
    const current = await now.get('connection', connection);
    const isSame = JSON.stringify(current) === JSON.stringify(connection);
    return { changes: isSame ? [change] : [], result: undefined };
  });
}

/** The record of a document that is to be read for a connection. */
export function unread({ uri, holder }: Connection, url: string): CachedResource {
  return { uri: url, connection: uri, holder, refreshed: null, error: null };
}

/** What becomes of the record of a document and its triples after it was read, or could not be. `now`: ms since the epoch. */
export function resourceAfter(before: CachedResource, reading: Reading, now: number): RecordChange {
  const kind = 'resource';
  if (reading.kind === 'failed') return { kind, put: { ...before, error: reading.message } };
  const put = { ...before, refreshed: now, error: null };
  if (reading.kind === 'unchanged') return { kind, put };
  const { etag, lastModified, quads } = reading;
  const graph = graphOf(before);
  const triples = quads.map(
    ({ subject, predicate, object }) =>
      DataFactory.quad(subject as never, predicate as never, object as never, graph) as Quad,
  );
  return { kind, put: { ...put, etag, lastModified }, triples };
}
