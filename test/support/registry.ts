import type { Metadata } from '../../src/component/metadata.js';
import type { Query } from '../../src/component/query.js';
import { createVocabulary } from '../../src/component/vocabulary.js';
import type { StoredPin } from '../../src/core/pins.js';
import { precedenceOf } from '../../src/core/precedence.js';
import { systemClock } from '../../src/lib/clock.js';
import { systemPace } from '../../src/lib/pace.js';
import type { Catalog } from '../../src/registry/catalog.js';
import type { Description } from '../../src/registry/description.js';
import { descriptionsOf } from '../../src/registry/page.js';
import type { Pins } from '../../src/registry/pins.js';
import type { OpenRegistry, Registry } from '../../src/registry/registry.js';
import type { SourceChange } from '../../src/registry/source-change.js';
import type { SourceRecord } from '../../src/registry/source-record.js';
import type { State } from '../../src/registry/state.js';
import type { Level } from '../../src/store/disk/database/level.js';
import { type DiskStoreOptions, diskStoreOn } from '../../src/store/disk/disk-store.js';
import type { LoadOptions } from '../../src/store/registry-store.js';
import { PLACES } from './stores.js';

export const VOCABULARY = createVocabulary('http://semcom.digita.ai/voc#');
export const BASE_URL = 'http://node.example';

/** A component, with what the test does not care about filled in. */
export function component(name: string, more: Partial<Metadata> = {}): Metadata {
  return { uri: `https://c.example/${name}.js`, label: name, author: [], tag: [], shapes: [], ...more };
}

export function registryOptions(more: Partial<LoadOptions> = {}): LoadOptions {
  return {
    baseUrl: BASE_URL,
    vocabulary: VOCABULARY,
    precedence: precedenceOf({ pods: [], peers: [] }),
    servedAs: '',
    clock: systemClock,
    random: () => 0.5,
    pace: systemPace,
    log: { warn: () => undefined },
    ...more,
  };
}

type NewRecord = SourceRecord | SourceChange['record'];

/** Both sides of a registry, and short ways to what tests ask for. */
export class TestRegistry implements Registry {
  readonly registry: Registry;
  readonly catalog: Catalog;
  readonly pins: Pins;

  constructor({ registry, catalog, pins }: OpenRegistry) {
    this.registry = registry;
    this.catalog = catalog;
    this.pins = pins;
  }

  /** Tests may give the new record itself, whatever the one before it is. */
  commit = ({ record, ...change }: Omit<SourceChange, 'record'> & { record: NewRecord }) =>
    this.registry.commit({ ...change, record: typeof record === 'function' ? record : () => record });
  commitOwn: Registry['commitOwn'] = (change) => this.registry.commitOwn(change);
  forget: Registry['forget'] = (source, signal) => this.registry.forget(source, signal);
  setNetwork: Registry['setNetwork'] = (lists) => this.registry.setNetwork(lists);
  source: Registry['source'] = (source) => this.registry.source(source);
  sources: Registry['sources'] = () => this.registry.sources();
  close: Registry['close'] = () => this.registry.close();

  upsertLocal(put: readonly Metadata[]) {
    return this.registry.commitOwn({ put });
  }

  async removeLocal(uri: string): Promise<boolean> {
    return (await this.registry.commitOwn({ remove: [uri] })).removed > 0;
  }

  /** Remembers pins, whatever was remembered before. */
  setPins(pins: readonly StoredPin[]): Promise<void> {
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

  state(): Promise<State> {
    return this.catalog.state();
  }

  async size(): Promise<number> {
    return (await this.catalog.state()).components;
  }
}

export async function openRegistry(
  level: Level,
  more: Partial<LoadOptions> = {},
  storeOptions: Partial<DiskStoreOptions> = {},
): Promise<TestRegistry> {
  const store = await diskStoreOn(level, { clock: systemClock, pace: systemPace, ...storeOptions });
  const opened = await store.load(registryOptions(more)).catch(async (error) => {
    // Whoever cannot open it cannot close it either, and the store has a file open beside those of the database.
    await store.close();
    throw error;
  });
  return new TestRegistry(opened);
}

/** A registry that is gone with the test. */
export async function memoryRegistry(more: Partial<LoadOptions> = {}): Promise<TestRegistry> {
  const place = await (PLACES.memory as () => Promise<{ open(): Promise<Level> }>)();
  return openRegistry(await place.open(), more);
}
