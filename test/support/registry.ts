import {
  type Changes,
  type ChangesRequest,
  descriptionsOf,
  type StatementChange,
} from '../../src/catalog/catalog.js';
import type { Metadata } from '../../src/component/metadata.js';
import type { Query } from '../../src/component/query.js';
import type { Source } from '../../src/component/source.js';
import { createVocabulary } from '../../src/component/vocabulary.js';
import type { DocumentRecord } from '../../src/core/document-record.js';
import type { StoredPin } from '../../src/core/pins.js';
import type { SourceRecord } from '../../src/core/source-record.js';
import type { Place } from '../../src/keep/keep.js';
import { MemoryData, openMemory } from '../../src/keep/memory/memory-keep.js';
import { systemClock } from '../../src/lib/clock.js';
import { systemPace } from '../../src/lib/pace.js';
import type { SourceChange } from '../../src/registry/difference.js';
import { openRegistry as openOn, type RegistryOptions } from '../../src/registry/open-registry.js';
import type { Serving } from '../../src/registry/serving.js';
import { uniqueTexts } from '../keep/unique-texts.js';

export const VOCABULARY = createVocabulary('http://semcom.digita.ai/voc#');
export const BASE_URL = 'http://node.example';
/** What the node of most tests calls itself, and the terms that it uses. */
export const NAMING = { baseUrl: BASE_URL, vocabulary: VOCABULARY };

/** A component, with what the test does not care about filled in. */
export function component(name: string, more: Partial<Metadata> = {}): Metadata {
  return { uri: `https://c.example/${name}.js`, label: name, author: [], tag: [], shapes: [], ...more };
}

/** Components that have nothing but these names. */
export const named = (...names: readonly string[]): Metadata[] => names.map((name) => component(name));

/** What a test gives of the options. */
export type TestOptions = Partial<RegistryOptions & Serving>;

/** How tests show what is stored, and what they run a registry with. */
export function registryOptions(more: TestOptions = {}): RegistryOptions & Serving {
  return {
    baseUrl: BASE_URL,
    namespace: VOCABULARY.namespace,
    order: { pods: [], peers: [] },
    servedAs: '',
    clock: systemClock,
    pace: systemPace,
    log: { warn: () => undefined },
    ...more,
  };
}

export type TestRegistry = Awaited<ReturnType<typeof openRegistry>>;

/** The registry of a place, which is closed with it: all its sides, its keep, and short ways to what tests ask for. */
export async function openRegistry(place: Place, more: TestOptions = {}) {
  const keep = await place.keep('registry');
  const options = registryOptions({
    isShared: place.isShared,
    isQuadstore: place.isQuadstore,
    ...more,
  });
  const opened = await openOn(keep, options, options).catch(async (error: unknown) => {
    await place.close();
    throw error;
  });
  const { registry, catalog, pins, polls, precedence } = opened;
  /** Tests may give the new record itself, whatever the one before it is. */
  const commit = ({ record, ...change }: Omit<SourceChange, 'record'> & { record: NewRecord }) =>
    registry.commit({ ...change, record: typeof record === 'function' ? record : () => record });
  /** What is served, in the order of the listing. */
  const list = async (query: Query = {}): Promise<Metadata[]> =>
    (await descriptionsOf(await catalog.page(query))).map(({ metadata }) => metadata);
  return {
    ...registry,
    ...{ registry, catalog, pins, polls, precedence, keep, place, commit, list },
    async close(): Promise<void> {
      await registry.close();
      await place.close();
    },
    /** What a document says from now on, all of it. */
    say: (
      source: Source,
      components: readonly Metadata[],
      url = `${source.url}doc`,
      record: DocumentRecord = { etag: '"1"' },
    ) => commit({ source, documents: [{ url, components, record }], record: { failures: 0 } }),
    upsertLocal: (put: readonly Metadata[]) => registry.commitOwn({ put }),
    removeLocal: async (uri: string) => (await registry.commitOwn({ remove: [uri] })).removed > 0,
    /** Remembers pins, whatever was remembered before. */
    setPins: (all: readonly StoredPin[]): Promise<unknown> => pins.change(all, (pin) => pin),
    /** What is served about one component. */
    get: async (uri: string): Promise<Metadata | undefined> => (await catalog.statements(uri))[0]?.metadata,
    labels: async () => (await list()).map(({ label }) => label),
    /** Every description, shadowed ones included. */
    everything: async () => descriptionsOf(await catalog.page({}, { shadowed: true })),
    /** What the feed tells: all of it, unless a limit is named. */
    async changes(request: Partial<ChangesRequest> = {}): Promise<Changes> {
      const told: StatementChange[] = [];
      for (let { after } = request; ; ) {
        const answer = await catalog.changes({ limit: 10_000, ...request, after });
        if ('unknown' in answer) throw new Error(`The state is unknown: ${answer.unknown}`);
        told.push(...answer.changes);
        if (answer.next === undefined || request.limit !== undefined) return { ...answer, changes: told };
        after = answer.next;
      }
    },
    state: () => catalog.state(),
    size: async () => (await catalog.state()).components,
  };
}

type NewRecord = SourceRecord | SourceChange['record'];

/** What places in memory share, as others share a directory or a database. */
export function memoryData(): MemoryData {
  return new MemoryData({ clock: systemClock, unique: uniqueTexts() });
}

/** A registry in memory; on data of its own unless another is given, as after a restart. */
export function memoryRegistry(more: TestOptions = {}, data = memoryData()): Promise<TestRegistry> {
  return openRegistry(openMemory(data, { clock: systemClock }), more);
}
