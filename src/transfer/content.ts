import type { NamedNode } from '@rdfjs/types';
import type { Changes, StatementChange } from '../catalog/catalog.js';
import type { Metadata } from '../component/metadata.js';
import { pinKey } from '../component/pin.js';
import { type Source, sourceKey } from '../component/source.js';
import { type CachedResource, graphOf } from '../connection/records/cached-resource.js';
import { KINDS } from '../connection/records/records.js';
import { cursorOf, cursorText } from '../core/cursor.js';
import type { DocumentRecord } from '../core/document-record.js';
import type { StoredSource } from '../core/source-record.js';
import type { Head, Reads } from '../keep/keep.js';
import { compareText } from '../lib/compare-text.js';
import type { OpenRegistry } from '../registry/registry.js';
import type { ExportRecord, StatementRecord } from './export-record.js';
import { textsOfQuad } from './quad-texts.js';

/** Statements that are read at a time. */
const PAGE = 500;

/** Everything that a node holds, as far as it is read. What the registry holds must be one state. */
export interface Content {
  readonly registry: Pick<OpenRegistry['registry'], 'sources'>;
  readonly catalog: Pick<OpenRegistry['catalog'], 'state' | 'changes' | 'network'>;
  readonly pins: Pick<OpenRegistry['pins'], 'list'>;
  /** What the connection service has stored; absent when it is not to be read. */
  readonly connections?: Pick<Reads, 'rows' | 'quads'> | undefined;
}

/**
 * Everything that a node holds, record by record: pins, statements in the order in which they came to be said, what is remembered
 * of documents and sources, sorted, the network lists, the records of the connection service.
 * @throws Error when the connection service stores something meanwhile
 */
export async function* contentOf(content: Content): AsyncGenerator<ExportRecord> {
  const sources = sorted(await content.registry.sources(), ({ source }) => sourceKey(source));
  yield* pinsOf(content);
  yield* statementsOf(content, sources);
  for (const source of sources) yield* recordsOf(source);
  yield { type: 'network', ...(await content.catalog.network()) };
  if (content.connections) yield* connectionsOf(content.connections);
}

/** Names the state of a registry. */
export async function currentCursor({ catalog }: Pick<Content, 'catalog'>): Promise<string> {
  return cursorText(cursorOf(await catalog.state()));
}

/** The graph in which the triples of a cached document are, whose row has this value. */
export function graphOfRow(value: unknown): NamedNode {
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
  const place = { source: plain(source), document, of, authority };
  return { type: 'statement', at: since ?? at, ...place, component: metadata };
}

function* recordsOf({ source, record, documents }: StoredSource): Generator<ExportRecord> {
  for (const [url, { components: _components, ...remembered }] of sorted(documents, ([name]) => name)) {
    const kept: DocumentRecord = remembered;
    yield { type: 'document', source: plain(source), url, record: kept };
  }
  const isNothing = JSON.stringify(record) === JSON.stringify({ failures: 0 });
  if (documents.size > 0 || !isNothing) yield { type: 'source', source: plain(source), record };
}

function sorted<T>(items: Iterable<T>, nameOf: (item: T) => string): T[] {
  return [...items].sort((one, other) => compareText(nameOf(one), nameOf(other)));
}

function plain({ kind, url }: Source): Source {
  return { kind, url };
}

/** Rows are one state and quads may be another: so they belong together when nothing has been written up to the end. */
async function* connectionsOf(keep: NonNullable<Content['connections']>): AsyncGenerator<ExportRecord> {
  let begun: Head | undefined;
  for await (const { head, table, rows } of keep.rows(KINDS)) {
    begun = head;
    for (const row of rows) {
      const value: unknown = JSON.parse(row.value);
      yield { type: 'record', table, key: row.key, value };
      if (table !== 'resource') continue;
      const graph = graphOfRow(value);
      for await (const quads of keep.quads([graph]))
        yield { type: 'quads', graph: graph.value, quads: quads.map(textsOfQuad) };
    }
  }
  for await (const { head } of keep.rows(KINDS)) {
    if (head.mark === begun?.mark) return;
    throw new Error(
      'connections were changed while they were read: stop the nodes that use them, or try again',
    );
  }
}
