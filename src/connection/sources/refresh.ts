import type { NamedNode, Quad, Term } from '@rdfjs/types';
import { DataFactory } from 'n3';
import PQueue from 'p-queue';
import type { Clock } from '../../lib/clock.js';
import { HostQueues } from '../../lib/fetch/host-queues.js';
import { grouped } from '../../lib/grouped.js';
import { type CachedResource, graphOf } from '../records/cached-resource.js';
import { type Connection, documentsOf } from '../records/connection.js';
import type { RecordChange, Records } from '../records/records.js';
import { uriKey } from '../uri.js';
import type { Reading, ReadSource } from './source-reading.js';

/** At most this many documents of one holder are read at once, so that one holder's slow sources do not delay the others. */
const PER_HOLDER = 4;
/** At most this many documents of one host are read at once, over all holders. */
const PER_HOST = 2;

export interface RefreshParts {
  readonly records: Records;
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
  const all = new PQueue({ concurrency: parts.concurrency });
  const hosts = new HostQueues(PER_HOST);
  const underWay = new Map<string, Promise<void>>();

  /** Reads a document for a connection. Requests that come while it is being read wait for the same reading. */
  const once = (connection: Connection, uri: string): Promise<void> => {
    const key = JSON.stringify([connection, uri]);
    const reading =
      underWay.get(key) ??
      hosts
        .run(uri, () => all.add(() => refreshOne(parts, connection, uri)))
        .finally(() => underWay.delete(key));
    underWay.set(key, reading);
    return reading;
  };

  return async (connections) => {
    const byHolder = grouped(connections, ({ holder }) => uriKey(holder));
    const tasks = [...byHolder.values()].flatMap((own) => {
      const queue = new PQueue({ concurrency: PER_HOLDER });
      return own.flatMap((connection) =>
        documentsOf(connection).map((uri) => queue.add(() => once(connection, uri))),
      );
    });
    await Promise.all(tasks);
  };
}

/** Reads one document, and stores the result unless the connection was changed or deleted meanwhile. */
async function refreshOne(parts: RefreshParts, connection: Connection, url: string): Promise<void> {
  const { records, read, clock, signal } = parts;
  signal.throwIfAborted();
  const { uri, holder } = connection;
  const known = (await records.get('resource', { uri: url, connection: uri, holder }))?.record;
  const reading = await read({ url, known, connection, signal });
  const change = resourceAfter(known ?? unread(connection, url), reading, clock.now());
  await records.change(async (now) => {
    const current = (await now.get('connection', connection))?.record;
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
  const { uri, connection, holder } = before;
  const kind = 'resource';
  if (reading.kind === 'failed') return { kind, put: { ...before, error: reading.message } };
  if (reading.kind === 'unchanged') return { kind, put: { ...before, refreshed: now, error: null } };
  const { etag, lastModified, quads } = reading;
  const statements = quads.length;
  const put = { uri, connection, holder, refreshed: now, error: null, etag, lastModified, statements };
  return { kind, put, triples: triplesIn(graphOf(before), quads) };
}

/**
 * The triples of a document as they are stored: in one graph. Blank nodes are renamed in the order in which they come, so
 * that an unchanged document gives the same triples when it is read again.
 */
function triplesIn(graph: NamedNode, quads: readonly Quad[]): Quad[] {
  const names = new Map<string, string>();
  const renamed = (term: Term): never => {
    if (term.termType !== 'BlankNode') return term as never;
    const name = names.get(term.value) ?? `b${names.size}`;
    names.set(term.value, name);
    return DataFactory.blankNode(name) as never;
  };
  return quads.map(
    ({ subject, predicate, object }) =>
      DataFactory.quad(renamed(subject), predicate as never, renamed(object), graph) as Quad,
  );
}
