import { DataFactory } from 'n3';
import type { Metadata } from '../component/metadata.js';
import { pinKey } from '../component/pin.js';
import { LOCAL, type Source, sourceKey } from '../component/source.js';
import { type CachedResource, graphOf } from '../connection/records/cached-resource.js';
import { RECORD_LAYOUT } from '../connection/records/records.js';
import { cursorOf, cursorText } from '../core/cursor.js';
import { compareText } from '../lib/compare-text.js';
import type { Changes, StatementChange } from '../registry/changes.js';
import type { DocumentRecord } from '../registry/document-record.js';
import type { OpenRegistry } from '../registry/registry.js';
import type { StoredSource } from '../registry/source-record.js';
import { withoutImport } from '../registry/unfinished-import.js';
import type { RecordStore } from '../store/record-store.js';
import type { ExportRecord, StatementRecord } from './export-record.js';
import { textsOfQuad } from './quad-texts.js';

/** Statements that are read at a time. */
const PAGE = 500;

/** Everything that a node holds, as its engines give it. */
export interface Content extends OpenRegistry {
  /** Absent when the connection service is not to be read. */
  readonly records?: RecordStore | undefined;
}

/**
 * Everything that a node holds, record by record: pins, statements in the order in which they came to be said, what is remembered
 * of documents and sources (sorted, because engines have them in orders of their own), the network lists, the records of
 * the connection service. The memory that is needed depends on the number of documents, not of components.
 * @throws Error when the registry is changed meanwhile
 */
export async function* contentOf(content: Content): AsyncGenerator<ExportRecord> {
  const begun = await currentCursor(content);
  const sources = sorted(await content.registry.sources(), ({ source }) => sourceKey(source));
  yield* pinsOf(content);
  yield* statementsOf(content, sources);
  for (const source of sources) yield* recordsOf(source);
  yield { type: 'network', ...(await content.catalog.network()) };
  if (content.records) yield* connectionsOf(content.records);
  if ((await currentCursor(content)) === begun) return;
  throw new Error('the registry was changed while it was read: stop every node that uses it, and try again');
}

/** Names the state of a registry. */
export async function currentCursor({ catalog }: Pick<Content, 'catalog'>): Promise<string> {
  return cursorText(cursorOf(await catalog.state()));
}

/** The tables of the connection service. */
export const TABLES: readonly string[] = [...RECORD_LAYOUT.kept, RECORD_LAYOUT.cached];

/** The name of the graph in which the triples of a cached document are. */
export function graphOfRow(value: unknown) {
  return graphOf((value as { record: CachedResource }).record);
}

async function* pinsOf({ pins }: Content): AsyncGenerator<ExportRecord> {
  for (let after: string | undefined; ; ) {
    const page = await pins.list({ after, limit: PAGE });
    for (const pin of page) yield { type: 'pin', pin };
    const last = page.at(-1);
    if (!last) return;
    after = pinKey(last);
  }
}

/** What a document says stands where it came to be said, also when its pin has changed since then. */
async function* statementsOf(
  { catalog }: Content,
  sources: readonly StoredSource[],
): AsyncGenerator<StatementRecord> {
  const documents = new Map(sources.map((each) => [sourceKey(each.source), each.documents]));
  const pinnedLater: StatementRecord[] = [];
  for await (const change of statementsIn(catalog)) {
    if (change.since !== undefined) pinnedLater.push(entryOf(change, documents));
  }
  pinnedLater.sort((one, other) => other.at - one.at);
  for await (const change of statementsIn(catalog)) {
    if (change.since !== undefined) continue;
    while ((pinnedLater.at(-1)?.at ?? change.at) < change.at) yield pinnedLater.pop() as StatementRecord;
    yield entryOf(change, documents);
  }
  yield* pinnedLater.reverse();
}

type Statement = StatementChange & { readonly metadata: Metadata };

async function* statementsIn(catalog: Content['catalog']): AsyncGenerator<Statement> {
  for (let page: Changes | undefined; !page || page.next !== undefined; ) {
    const answer = await catalog.changes({ after: page?.next, limit: PAGE });
    if ('unknown' in answer) throw new Error(`The registry does not know its own state: ${answer.unknown}`);
    page = answer;
    for (const change of page.changes) if (change.metadata) yield change as Statement;
  }
}

function entryOf(
  { at, since, source, document, metadata }: Statement,
  documents: ReadonlyMap<string, StoredSource['documents']>,
): StatementRecord {
  const { of, authority } = documents.get(sourceKey(source))?.get(document) ?? {};
  return {
    type: 'statement',
    at: since ?? at,
    source: plain(source),
    document,
    of,
    authority,
    component: metadata,
  };
}

function* recordsOf({ source, record, documents }: StoredSource): Generator<ExportRecord> {
  for (const [url, { components: _components, ...remembered }] of sorted(documents, ([name]) => name)) {
    const kept: DocumentRecord = remembered;
    yield { type: 'document', source: plain(source), url, record: kept };
  }
  const kept = source.kind === LOCAL.kind ? withoutImport(record) : record;
  const isNothing = JSON.stringify(kept) === JSON.stringify({ failures: 0 });
  if (documents.size > 0 || !isNothing) yield { type: 'source', source: plain(source), record: kept };
}

function sorted<T>(items: Iterable<T>, nameOf: (item: T) => string): T[] {
  return [...items].sort((one, other) => compareText(nameOf(one), nameOf(other)));
}

function plain({ kind, url }: Source): Source {
  return { kind, url };
}

async function* connectionsOf(records: RecordStore): AsyncGenerator<ExportRecord> {
  for (const table of TABLES) {
    for await (const [key, value] of records.rows<unknown>(table)) {
      yield { type: 'record', table, key, value };
      if (table !== RECORD_LAYOUT.cached) continue;
      const graph = graphOfRow(value);
      for await (const quads of records.quads(DataFactory.namedNode(graph.value))) {
        yield { type: 'quads', graph: graph.value, quads: quads.map(textsOfQuad) };
      }
    }
  }
}
