import type { Quad } from '@rdfjs/types';
import { LRUCache } from 'lru-cache';
import { DataFactory } from 'n3';
import PQueue from 'p-queue';
import type { Clock } from '../../lib/clock.js';
import { HostQueues } from '../../lib/fetch/host-queues.js';
import { type CachedResource, graphOf } from '../records/cached-resource.js';
import { type Connection, documentsOf } from '../records/connection.js';
import type { ChangeRecords, ChangingRecords, Records } from '../records/records.js';
import type { Reading, ReadSource } from './source-reading.js';

/** At most this many documents of one host are read at once, over all holders. */
const PER_HOST = 2;
/** At most this many documents of one holder are read at once, so that slow ones keep no other holder waiting. */
const PER_HOLDER = 4;
/** Holders whose documents are counted: those that have refreshed last. */
const REMEMBERED = 1_000;

interface RefreshParts {
  readonly records: Records;
  readonly change: ChangeRecords;
  readonly read: ReadSource;
  readonly clock: Clock;
  /** At most this many documents are read at once. */
  readonly concurrency: number;
}

export type Refresh = ReturnType<typeof createRefresh>;

/** Reads the documents of connections again. Resolves when each reading has succeeded or failed, which the records say. */
export function createRefresh(parts: RefreshParts) {
  const hosts = new HostQueues(PER_HOST, parts.concurrency);
  const memoMethod = () => new PQueue({ concurrency: PER_HOLDER });
  const holders = new LRUCache<string, PQueue>({ max: REMEMBERED, memoMethod });
  const underWay = new Map<string, Promise<void>>();

  /** Reads a document for a connection. Requests that come while it is being read wait for the same reading. */
  const once = (connection: Connection, uri: string): Promise<void> => {
    const key = JSON.stringify([connection, uri]);
    const read = () => hosts.run(uri, () => refreshOne(parts, connection, uri));
    const queue = holders.memo(connection.holder);
    const reading = underWay.get(key) ?? queue.add(read).finally(() => underWay.delete(key));
    underWay.set(key, reading);
    return reading;
  };

  return async (connections: readonly Connection[]): Promise<void> => {
    await Promise.all(connections.flatMap((one) => documentsOf(one).map((uri) => once(one, uri))));
  };
}

/** Reads one document, and stores the result unless the connection was changed or deleted meanwhile. */
async function refreshOne(parts: RefreshParts, connection: Connection, url: string): Promise<void> {
  const { records, change, read, clock } = parts;
  const before = unread(connection, url);
  const known = await records.get('resource', before);
  const reading = await read({ url, known, connection });
  await change(async (now) => {
    const current = await now.get('connection', connection);
    const isSame = JSON.stringify(current) === JSON.stringify(connection);
    // Another node may have read the document meanwhile; and what is gone is not "unchanged".
    const stored = await now.get('resource', before);
    if (isSame && (stored || reading.kind !== 'unchanged'))
      await putReading(now, stored ?? before, reading, clock.now());
  });
}

/** The record of a document that is to be read for a connection. */
export function unread({ uri, holder }: Connection, url: string): CachedResource {
  return { uri: url, connection: uri, holder, refreshed: null, error: null };
}

/** Stores what came of reading a document, whose record was `before`. What it said stays when it could not be read. */
export async function putReading(
  now: ChangingRecords,
  before: CachedResource,
  reading: Reading,
  time: number,
): Promise<void> {
  if (reading.kind === 'failed') return now.put('resource', { ...before, error: reading.message });
  const read = { ...before, refreshed: time, error: null };
  if (reading.kind === 'unchanged') return now.put('resource', read);
  const { etag, lastModified, quads } = reading;
  const graph = graphOf(before);
  const triples = quads.map(
    ({ subject, predicate, object }) =>
      DataFactory.quad(subject as never, predicate as never, object as never, graph) as Quad,
  );
  await now.put('resource', { ...read, etag, lastModified }, triples);
}
