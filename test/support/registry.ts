import {
  type Catalog,
  type Changes,
  type ChangesRequest,
  descriptionsOf,
  type State,
} from '../../src/catalog/catalog.js';
import type { Description } from '../../src/catalog/description.js';
import type { Metadata } from '../../src/component/metadata.js';
import type { Query } from '../../src/component/query.js';
import type { Source } from '../../src/component/source.js';
import { createVocabulary } from '../../src/component/vocabulary.js';
import type { DocumentRecord } from '../../src/core/document-record.js';
import type { StoredPin } from '../../src/core/pins.js';
import type { SourceRecord } from '../../src/core/source-record.js';
import type { Keep, Place } from '../../src/keep/keep.js';
import { MemoryData, openMemory } from '../../src/keep/memory/memory-keep.js';
import { systemClock } from '../../src/lib/clock.js';
import { systemPace } from '../../src/lib/pace.js';
import type { SourceChange } from '../../src/registry/difference.js';
import type { SharedPolls } from '../../src/registry/open-registry.js';
import {
  type OpenedRegistry,
  openRegistry as openOn,
  type RegistryOptions,
} from '../../src/registry/open-registry.js';
import type { Pins } from '../../src/registry/pins.js';
import type { Registry } from '../../src/registry/registry.js';
import type { Serving } from '../../src/registry/rows.js';
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

type NewRecord = SourceRecord | SourceChange['record'];

/** All sides of a registry, the keep that it is on, and short ways to what tests ask for. */
export class TestRegistry implements Registry {
  readonly registry: Registry;
  readonly catalog: Catalog;
  readonly pins: Pins;
  readonly polls: SharedPolls | undefined;

  constructor(
    { registry, catalog, pins, polls }: OpenedRegistry,
    readonly keep: Keep,
    readonly place: Place,
  ) {
    this.registry = registry;
    this.catalog = catalog;
    this.pins = pins;
    this.polls = polls;
  }

  /** Tests may give the new record itself, whatever the one before it is. */
  commit = ({ record, ...change }: Omit<SourceChange, 'record'> & { record: NewRecord }) =>
    this.registry.commit({ ...change, record: typeof record === 'function' ? record : () => record });
  commitOwn: Registry['commitOwn'] = (change) => this.registry.commitOwn(change);
  forget: Registry['forget'] = (source, signal) => this.registry.forget(source, signal);
  setNetwork: Registry['setNetwork'] = (lists) => this.registry.setNetwork(lists);
  source: Registry['source'] = (source) => this.registry.source(source);
  said: Registry['said'] = (source, document) => this.registry.said(source, document);
  sources: Registry['sources'] = () => this.registry.sources();

  async close(): Promise<void> {
    await this.registry.close();
    await this.place.close();
  }

  /** What a document says from now on, all of it. */
  say = (
    source: Source,
    components: readonly Metadata[],
    url = `${source.url}doc`,
    record: DocumentRecord = { etag: '"1"' },
  ) => this.commit({ source, documents: [{ url, components, record }], record: { failures: 0 } });

  upsertLocal(put: readonly Metadata[]) {
    return this.registry.commitOwn({ put });
  }

  async removeLocal(uri: string): Promise<boolean> {
    return (await this.registry.commitOwn({ remove: [uri] })).removed > 0;
  }

  /** Remembers pins, whatever was remembered before. */
  setPins(pins: readonly StoredPin[]): Promise<unknown> {
    return this.pins.change(pins, (pin) => pin);
  }

  /** What is served about one component. */
  async get(uri: string): Promise<Metadata | undefined> {
    return (await this.catalog.statements(uri))[0]?.metadata;
  }

  /** What is served, in the order of the listing. */
  async list(query: Query = {}): Promise<Metadata[]> {
    const page = await this.catalog.page(query);
    return (await descriptionsOf(page)).map(({ metadata }) => metadata);
  }

  async labels(): Promise<string[]> {
    return (await this.list()).map(({ label }) => label);
  }

  /** Every description, shadowed ones included. */
  async everything(): Promise<Description[]> {
    return descriptionsOf(await this.catalog.page({}, { shadowed: true }));
  }

  /** What the feed tells. */
  async changes(request: Partial<ChangesRequest> = {}): Promise<Changes> {
    const answer = await this.catalog.changes({ limit: 10_000, ...request });
    if ('unknown' in answer) throw new Error(`The state is unknown: ${answer.unknown}`);
    return answer;
  }

  state(): Promise<State> {
    return this.catalog.state();
  }

  async size(): Promise<number> {
    return (await this.catalog.state()).components;
  }
}

/** The registry of a place, which is closed with it. */
export async function openRegistry(place: Place, more: TestOptions = {}): Promise<TestRegistry> {
  const keep = await place.keep('registry');
  const options = registryOptions({ isShared: place.isShared, ...more });
  try {
    return new TestRegistry(await openOn(keep, options, options), keep, place);
  } catch (error) {
    await place.close();
    throw error;
  }
}

/** What places in memory share, as others share a directory or a database. */
export function memoryData(): MemoryData {
  return new MemoryData({ clock: systemClock, unique: uniqueTexts() });
}

/** A registry in memory; on data of its own unless another is given, as after a restart. */
export function memoryRegistry(more: TestOptions = {}, data = memoryData()): Promise<TestRegistry> {
  return openRegistry(openMemory(data, { clock: systemClock }), more);
}
