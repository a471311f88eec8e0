import type { NamedNode, Quad, Term } from '@rdfjs/types';
import { DataFactory } from 'n3';
import PQueue from 'p-queue';
import type { Clock } from '../../lib/clock.js';
import { HostQueues } from '../../lib/fetch/host-queues.js';
import { type CachedResource, graphOf } from '../records/cached-resource.js';
import { type Connection, resourcesOf } from '../records/connection.js';
import type { Records } from '../records/records.js';
import { uriKey } from '../uri.js';
import type { CredentialsOf } from './source-credentials.js';
import type { Reading, SourceRequest, WholeReading } from './source-reading.js';

/** At most this many documents of one holder are read at once, so that one holder's slow sources do not delay the others. */
const PER_HOLDER = 4;
/** At most this many documents of one host are read at once, over all holders. */
const PER_HOST = 2;

export interface RefreshParts {
  readonly records: Records;
  readonly read: (request: SourceRequest) => Promise<Reading>;
  readonly credentialsOf: CredentialsOf;
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
    const holders = new Map<string, PQueue>();
    const tasks = connections.flatMap((connection) => {
      const holder = uriKey(connection.holder);
      const queue = holders.get(holder) ?? new PQueue({ concurrency: PER_HOLDER });
      holders.set(holder, queue);
      return resourcesOf(connection).map((uri) => queue.add(() => once(connection, uri)));
    });
    await Promise.all(tasks);
  };
}

async function refreshOne(parts: RefreshParts, connection: Connection, url: string): Promise<void> {
  const { records, read, credentialsOf, clock, signal } = parts;
  signal.throwIfAborted();
  const document = { uri: url, connection: connection.uri, holder: connection.holder };
  const known = await records.resource(document);
  const credentials = credentialsOf(connection, url);
  const reading = await read({ url, known: known ?? {}, credentials, signal });
  const before = known ?? { ...document, refreshed: null, error: null };
  await save(records, connection, afterReading(before, reading, clock.now()), reading);
}

/** The record of a document that is read for the first time, and its triples as they are stored. `now`: ms since the epoch. */
export function firstReading(
  document: Pick<CachedResource, 'uri' | 'connection' | 'holder'>,
  reading: WholeReading,
  now: number,
): { resource: CachedResource; triples: Quad[] } {
  const resource = afterReading({ ...document, refreshed: null, error: null }, reading, now);
  return { resource, triples: triplesIn(graphOf(resource), reading.quads) };
}

/** The record of a document after it was read, or could not be. */
function afterReading(before: CachedResource, reading: Reading, now: number): CachedResource {
  if (reading.kind === 'failed') return { ...before, error: reading.message };
  if (reading.kind === 'unchanged') return { ...before, refreshed: now, error: null };
  const { uri, connection, holder } = before;
  const { etag, lastModified } = reading;
  return { uri, connection, holder, refreshed: now, error: null, etag, lastModified };
}

/** Stores the result, unless the connection was changed or deleted while the document was read. */
async function save(
  records: Records,
  connection: Connection,
  resource: CachedResource,
  reading: Reading,
): Promise<void> {
  const after = reading.kind === 'whole' ? triplesIn(graphOf(resource), reading.quads) : undefined;
  await records.change(async (now) => {
    const current = (await now.get('connection', connection))?.record;
    const isSame = JSON.stringify(current) === JSON.stringify(connection);
    if (!isSame) return { changes: [], result: undefined };
    const changes = [{ kind: 'resource', put: resource } as const];
    // Compared here, where nothing else is committed: another node may have stored other triples meanwhile.
    const quads = after && difference(await now.triples(resource), after);
    return { changes, ...(quads ? { quads } : {}), result: undefined };
  });
}

/**
 * The triples of a document in the form in which they are stored: in one graph, without repetitions. Blank nodes are
 * renamed in the order in which they come, so that an unchanged document gives the same triples when it is read again.
 */
function triplesIn(graph: NamedNode, quads: readonly Quad[]): Quad[] {
  const names = new Map<string, string>();
  const triples = new Map<string, Quad>();
  const rename = (term: Term): Term => {
    if (term.termType !== 'BlankNode') return term;
    const name = names.get(term.value) ?? `b${names.size}`;
    names.set(term.value, name);
    return DataFactory.blankNode(name) as Term;
  };
  for (const { subject, predicate, object } of quads) {
    const triple = DataFactory.quad(
      rename(subject) as never,
      predicate as never,
      rename(object) as never,
      graph,
    ) as Quad;
    triples.set(keyOf(triple), triple);
  }
  return [...triples.values()];
}

/** The quads to remove from a graph, and those to add, to turn one state into another. */
function difference(before: readonly Quad[], after: readonly Quad[]): { remove: Quad[]; put: Quad[] } {
  const [old, next] = [before, after].map((quads) => new Set(quads.map(keyOf)));
  return {
    remove: before.filter((quad) => !next?.has(keyOf(quad))),
    put: after.filter((quad) => !old?.has(keyOf(quad))),
  };
}

function keyOf({ subject, predicate, object }: Quad): string {
  return JSON.stringify([termKey(subject), predicate.value, termKey(object)]);
}

function termKey(term: Term): readonly string[] {
  if (term.termType !== 'Literal') return [term.termType, term.value];
  return [term.value, term.datatype.value, term.language];
}
