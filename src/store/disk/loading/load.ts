import type { Quad } from '@rdfjs/types';
import { DataFactory } from 'n3';
import type { Naming } from '../../../component/naming.js';
import { sourceOfKey } from '../../../component/source.js';
import { createVocabulary, type Vocabulary } from '../../../component/vocabulary.js';
import { type NetworkLists, NO_NETWORK } from '../../../core/network-lists.js';
import type { Precedence } from '../../../core/precedence.js';
import { explain, StorageFailure } from '../../../lib/faults.js';
import { type DocumentRecord, unread } from '../../../registry/document-record.js';
import { nextRevision, type Revision } from '../../../registry/revision.js';
import type { SourceRecord } from '../../../registry/source-record.js';
import type { LoadOptions } from '../../registry-store.js';
import { UnusableData } from '../../unusable-data.js';
import type { CatalogIndex } from '../catalog/catalog-index.js';
import type { ChangeLog } from '../changes/change-log.js';
import { RedoLog } from '../changes/redo-log.js';
import { DamagedData } from '../database/damage.js';
import { readGraphName } from '../database/graph-name.js';
import type { QuadStore, Row } from '../database/quad-store.js';
import { refuseLoss, type StatementsNote, statementsRow } from '../database/statements-note.js';
import { readDocumentKey, SCHEMA_VERSION, TABLES } from '../database/tables.js';
import { Sources } from '../disk-source.js';
import type { BlockSpace } from '../listing/block-space.js';
import type { SharedTexts } from '../listing/shared-texts.js';
import { PinTable } from '../pin-table.js';
import { snapshotWrittenAs } from '../snapshot/snapshot-head.js';
import { refuseOtherQuads } from './check-quads.js';
import { loadCatalog } from './load-catalog.js';
import { loadChangeLog } from './load-changes.js';
import { loadSnapshot, type SnapshotParts } from './load-snapshot.js';
import { rebuildRows } from './rebuild.js';
import { StatementReader, type StatementReaderParts } from './statement-reader.js';

/** While nothing can be answered yet, other work can wait a little longer, in ms. */
const SLICE_MS = 10;

export interface Loaded {
  readonly sources: Sources;
  readonly index: CatalogIndex;
  /** How many statements there are, those that are not served included. */
  readonly statements: number;
  readonly redoLog: RedoLog;
  readonly revision: Revision;
  readonly networkRevision: Revision;
  readonly network: NetworkLists;
  readonly log: ChangeLog;
  readonly pins: PinTable;
  /** The position of the snapshot that the catalog was read from. */
  readonly snapshot: number | undefined;
}

interface Network {
  readonly revision: Revision;
  readonly lists: NetworkLists;
}

/**
 * Reads the whole registry from disk, and brings what is there up to date with the configuration.
 * @throws UnusableData when another version of the software has written it; DamagedData
 */
export async function loadRegistry(
  store: QuadStore,
  options: LoadOptions,
  held: { readonly versions: SharedTexts; readonly space: BlockSpace },
): Promise<Loaded> {
  await refuseOtherSchema(store);
  // Those under damaged keys would not be found below.
  for await (const _row of store.rows('meta'));
  const namespace = (await store.row<string>('meta', 'vocabulary')) ?? options.vocabulary.namespace;
  const written = { baseUrl: options.baseUrl, vocabulary: createVocabulary(namespace) };
  await new RedoLog(store, { ...written, pace: options.pace }).recover();
  if (namespace !== options.vocabulary.namespace) await translate(store, written.vocabulary, options);
  const pins = await PinTable.load(store);
  const { index, statements, sources, snapshot } = await readStatements(store, options, { ...held, pins });
  const revision = await currentRevision(store, options);
  const network = await store.row<Network>('meta', 'network');
  const networkRevision = network?.revision ?? { ...revision, number: 0 };
  const log = await loadChangeLog(store, sources, networkRevision.number, options);
  return {
    sources,
    index,
    statements,
    redoLog: new RedoLog(store, options),
    revision,
    networkRevision,
    network: network?.lists ?? NO_NETWORK,
    log,
    pins,
    snapshot,
  };
}

/** The rows by which every document is read again in full. */
async function unreadDocuments(store: QuadStore): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const [key, record] of store.rows<DocumentRecord>('document'))
    rows.push({ table: 'document', key, value: unread(record) });
  return rows;
}

/** @throws UnusableData when a newer version of the software has written the store, or one before 0.2.0 */
export async function refuseOtherSchema(store: QuadStore): Promise<void> {
  const version = (await store.row<number>('meta', 'schema')) ?? SCHEMA_VERSION;
  if (version < SCHEMA_VERSION)
    throw new UnusableData(
      `The data directory has schema version ${version}, of a version of this software before 0.2.0: start version 0.2.0 on it once, or import what its "export" writes into another dataDir; in an empty one the sources are read again`,
    );
  if (version <= SCHEMA_VERSION) return;
  throw new UnusableData(
    `The data directory has schema version ${version}, and this software knows only up to ${SCHEMA_VERSION}; start the newer version, or set another dataDir`,
  );
}

/**
 * The catalog: from its snapshot, or else from the quads.
 * @throws DamagedData when there are not as many descriptions as have been recorded, or not all quads of one
 */
async function readStatements(
  store: QuadStore,
  options: LoadOptions,
  held: { readonly versions: SharedTexts; readonly pins: PinTable; readonly space: BlockSpace },
) {
  const note = await store.row<StatementsNote>('meta', 'statements');
  const count = note?.count ?? (await rebuildRows(store, options));
  if (!note) await store.write({ rows: [statementsRow(count)], durable: true });
  const sources = await readSources(store, options.precedence);
  const parts = { ...held, store, naming: options, documents: sources.documents() };
  const snapshot = note && (await fromSnapshot(parts, { sources, options, statements: count }));
  if (snapshot) return { sources, index: snapshot.index, statements: count, snapshot: snapshot.position };
  const onStatements = (read: number) => options.onProgress?.(read, Math.max(read, count));
  const loaded = await loadCatalog({ ...parts, pace: options.pace, onStatements });
  refuseLoss(store.place, count, loaded.statements);
  return { ...loaded, sources, snapshot: undefined };
}

/** The catalog from its snapshot, where there is one that can be used: else it is made of the quads, and takes longer. */
async function fromSnapshot(
  parts: StatementReaderParts & { readonly space: BlockSpace },
  { options, ...held }: Pick<SnapshotParts, 'sources' | 'statements'> & { readonly options: LoadOptions },
) {
  const { store, pins, space } = parts;
  if (store.directory === undefined) return undefined;
  const writtenAs = snapshotWrittenAs(options, space);
  const reader = new StatementReader(parts);
  const breathe = options.pace(SLICE_MS);
  try {
    return await loadSnapshot(store.directory, { ...held, store, pins, space, reader, writtenAs, breathe });
  } catch (error) {
    if (error instanceof DamagedData || error instanceof StorageFailure) throw error;
    options.log.warn(
      { directory: store.directory, error: explain(error) },
      'the snapshot of the catalog cannot be used: the catalog is made anew from what is stored',
    );
    return undefined;
  }
}

async function readSources(store: QuadStore, precedence: Precedence): Promise<Sources> {
  const sources = new Sources(precedence);
  for await (const [key, record] of store.rows<SourceRecord>('source')) {
    sources.of(sourceOfKey(key)).record = record;
  }
  for await (const [name, number] of store.rows<number>('graph')) {
    const origin = readGraphName(name);
    if (origin) sources.hold(sources.created(origin.source, origin.document, number));
  }
  for await (const [key, record] of store.rows<DocumentRecord>('document')) {
    const { source, url } = readDocumentKey(key);
    const document = sources.document(source, url);
    document.record = record;
    document.origin = sources.originOf(document, record);
    sources.hold(document);
  }
  return sources;
}

/**
 * The configured vocabulary has changed: what is stored is said in the new one. Its documents are read
 * again in full, for they may hold other things when read with it.
 */
async function translate(store: QuadStore, before: Vocabulary, { vocabulary }: Naming): Promise<void> {
  await refuseOtherQuads(store, before);
  const terms = new Map<string, string>([
    [before.component, vocabulary.component],
    ...[...before.fields].map(([iri, field]): [string, string] => [iri, vocabulary.predicates[field]]),
  ]);
  const remove: Quad[] = [];
  const add: Quad[] = [];
  for await (const quads of store.read()) {
    for (const quad of quads) {
      const translated = translatedQuad(quad, terms);
      if (!translated) continue;
      remove.push(quad);
      add.push(translated);
    }
  }
  const rows = [TABLES.meta('vocabulary', vocabulary.namespace), ...(await unreadDocuments(store))];
  await store.write({ remove, add, rows, durable: true });
}

/** The quad with the new predicate, or with the new class; `undefined` where it has neither. */
function translatedQuad(quad: Quad, terms: ReadonlyMap<string, string>): Quad | undefined {
  const predicate = terms.get(quad.predicate.value);
  const object = quad.object.termType === 'NamedNode' ? terms.get(quad.object.value) : undefined;
  if (predicate === undefined && object === undefined) return undefined;
  return DataFactory.quad(
    quad.subject,
    predicate === undefined ? quad.predicate : DataFactory.namedNode(predicate),
    object === undefined ? quad.object : DataFactory.namedNode(object),
    quad.graph,
  ) as Quad;
}

async function currentRevision(store: QuadStore, options: LoadOptions): Promise<Revision> {
  const { clock, random, baseUrl, vocabulary } = options;
  const servedAs = JSON.stringify([baseUrl, vocabulary.namespace, options.servedAs]);
  const before = await store.row<Revision>('meta', 'revision');
  if (before && (await store.row<string>('meta', 'served-as')) === servedAs) return before;
  const fresh = { epoch: Math.floor(random() * 2 ** 52).toString(36), number: 0, since: 0 };
  const revision = nextRevision(before ?? fresh, clock.now());
  const rows = [
    TABLES.meta('schema', SCHEMA_VERSION),
    TABLES.meta('vocabulary', vocabulary.namespace),
    TABLES.meta('served-as', servedAs),
    TABLES.meta('revision', revision),
  ];
  await store.write({ rows, durable: true });
  return revision;
}
