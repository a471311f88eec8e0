import type { Quad } from '@rdfjs/types';
import { DataFactory } from 'n3';
import { componentsFromQuads, metadataToQuads, type Naming } from '../component/codec.js';
import { type Source, sourceKey, sourceOfKey } from '../component/precedence.js';
import { createVocabulary, type Vocabulary } from '../component/vocabulary.js';
import type { Clock, Random } from '../lib/clock.js';
import { breather } from '../lib/slices.js';
import { createEntry, type Entry } from './catalog.js';
import { graphName, readGraphName } from './graph-name.js';
import { createHeldSource, type HeldSource, heldDocument } from './held-source.js';
import { UnusableData } from './level.js';
import { type NetworkLists, NO_NETWORK } from './network-lists.js';
import type { QuadStore, Row } from './quad-store.js';
import { nextRevision, type Revision } from './revision.js';
import type { DocumentRecord, SourceRecord } from './source-record.js';
import { readDocumentKey, SCHEMA_VERSION, TABLES } from './tables.js';

export interface LoadOptions extends Naming {
  /**
   * Whatever else decides what the same quads look like to readers: the order of sources, say. When it or
   * the naming differs from the last start, the revision moves, because answers have changed.
   */
  readonly servedAs: string;
  readonly clock: Clock;
  readonly random: Random;
}

export interface Loaded {
  readonly sources: Map<string, HeldSource>;
  readonly entries: readonly Entry[];
  readonly revision: Revision;
  readonly networkRevision: Revision;
  readonly network: NetworkLists;
}

interface Network {
  readonly revision: Revision;
  readonly lists: NetworkLists;
}

/**
 * Reads the whole registry from disk, and brings what is there up to date with the configuration.
 * @throws UnusableData when a newer version of the software has written it
 */
export async function loadRegistry(store: QuadStore, options: LoadOptions): Promise<Loaded> {
  await refuseNewerSchema(store);
  const namespace = (await store.row<string>('meta', 'vocabulary')) ?? options.vocabulary.namespace;
  const sources = await readSources(store);
  const entries = await readEntries(store, sources, createVocabulary(namespace), options);
  if (namespace !== options.vocabulary.namespace)
    await translate(store, sources, entries, namespace, options);
  const revision = await currentRevision(store, options);
  const network = await store.row<Network>('meta', 'network');
  return {
    sources,
    entries,
    revision,
    networkRevision: network?.revision ?? { ...revision, number: 0 },
    network: network?.lists ?? NO_NETWORK,
  };
}

/** @throws UnusableData when a newer version of the software has written the store */
export async function refuseNewerSchema(store: QuadStore): Promise<void> {
  const version = (await store.row<number>('meta', 'schema')) ?? SCHEMA_VERSION;
  if (version <= SCHEMA_VERSION) return;
  throw new UnusableData(
    `The data directory has schema version ${version}, and this software knows only up to ${SCHEMA_VERSION}; start the newer version, or set another dataDir`,
  );
}

async function readSources(store: QuadStore): Promise<Map<string, HeldSource>> {
  const sources = new Map<string, HeldSource>();
  for await (const [key, record] of store.rows<SourceRecord>('source')) {
    sources.set(key, { ...createHeldSource(sourceOfKey(key)), record });
  }
  for await (const [key, record] of store.rows<DocumentRecord>('document')) {
    const { source, url } = readDocumentKey(key);
    heldDocument(heldSource(sources, source), url).record = record;
  }
  return sources;
}

async function readEntries(
  store: QuadStore,
  sources: Map<string, HeldSource>,
  vocabulary: Vocabulary,
  naming: Naming,
): Promise<Entry[]> {
  const all: Entry[] = [];
  const breathe = breather();
  for await (const quads of subjects(store)) {
    const graph = readGraphName(quads[0]?.graph.value ?? '');
    if (!graph) continue;
    const { entries, record } = heldDocument(heldSource(sources, graph.source), graph.document);
    for (const metadata of componentsFromQuads(quads, vocabulary).components) {
      const entry = createEntry(metadata, graph.source, graph.document, naming, record.rank);
      entries.set(metadata.uri, entry);
      all.push(entry);
    }
    await breathe();
  }
  return all;
}

/** The quads of one subject in one graph at a time. */
async function* subjects(store: QuadStore): AsyncGenerator<Quad[]> {
  let current: Quad[] = [];
  for await (const quads of store.read({})) {
    for (const quad of quads) {
      const [first] = current;
      if (first && !(first.graph.value === quad.graph.value && first.subject.value === quad.subject.value)) {
        yield current;
        current = [];
      }
      current.push(quad);
    }
  }
  if (current.length > 0) yield current;
}

/**
 * The configured vocabulary has changed: what is stored is said in the new one. Its documents are read
 * again in full, for they may hold other things when read with it.
 */
async function translate(
  store: QuadStore,
  sources: ReadonlyMap<string, HeldSource>,
  entries: readonly Entry[],
  namespace: string,
  options: LoadOptions,
): Promise<void> {
  const quadsIn = (vocabulary: Vocabulary) =>
    entries.flatMap(({ metadata, source, document }) => {
      const graph = DataFactory.namedNode(graphName(source, document));
      return metadataToQuads(metadata, vocabulary, metadata.uri, graph) as Quad[];
    });
  const rows: Row[] = [];
  for (const { source, documents } of sources.values()) {
    for (const [url, document] of documents) {
      document.record = {};
      rows.push(TABLES.document(source, url, document.record));
    }
  }
  rows.push(TABLES.meta('vocabulary', options.vocabulary.namespace));
  const [remove, add] = [quadsIn(createVocabulary(namespace)), quadsIn(options.vocabulary)];
  await store.write({ remove, add, rows, durable: true });
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

function heldSource(sources: Map<string, HeldSource>, source: Source): HeldSource {
  const held = sources.get(sourceKey(source)) ?? createHeldSource(source);
  sources.set(sourceKey(source), held);
  return held;
}
