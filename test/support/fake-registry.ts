import { listingObject, type Naming } from '../../src/component/codec.js';
import { compareUri, type Metadata, sameMetadata } from '../../src/component/metadata.js';
import {
  LOCAL,
  type Precedence,
  precedenceOf,
  type Source,
  sourceKey,
} from '../../src/component/precedence.js';
import { compileQuery } from '../../src/component/query.js';
import type { Clock } from '../../src/lib/clock.js';
import type { Catalog, Entry } from '../../src/store/catalog.js';
import type { Registry } from '../../src/store/registry.js';

/** A registry without a disk, for tests of what stands on one. Polls and bookkeeping are not in it. */
export interface FakeRegistry extends Pick<Registry, 'upsertLocal' | 'removeLocal'> {
  readonly catalog: Catalog;
  revision: Registry['revision'];
  networkRevision: Registry['networkRevision'];
  /** Says what a source says, as its poll would. */
  say(source: Source, components: readonly Metadata[], document?: string): void;
}

export function createFakeRegistry(
  naming: Naming,
  clock: Clock,
  precedence: Precedence = NOBODY,
): FakeRegistry {
  const bySource = new Map<string, Map<string, Entry>>();
  const all = () =>
    [...bySource.values()]
      .flatMap((entries) => [...entries.values()])
      .sort((a, b) => compareUri(a.metadata.uri, b.metadata.uri) || precedence.compare(a.source, b.source));
  const served = () => all().filter((entry, i, list) => entry.metadata.uri !== list[i - 1]?.metadata.uri);
  const entriesOf = (source: Source) => {
    const entries = bySource.get(sourceKey(source)) ?? new Map<string, Entry>();
    bySource.set(sourceKey(source), entries);
    return entries;
  };
  const moved = () => {
    fake.revision = { ...fake.revision, number: fake.revision.number + 1, since: clock.now() };
  };
  const entry = (metadata: Metadata, source: Source, document: string): Entry => ({
    metadata,
    source,
    document,
    json: JSON.stringify(listingObject(metadata, naming)),
  });

  const catalog: Catalog = {
    get size() {
      return served().length;
    },
    get: (uri) => served().find(({ metadata }) => metadata.uri === uri),
    select(query, { limit, after } = {}) {
      const test = compileQuery(query);
      const found = served().filter(
        ({ metadata }) => test(metadata) && (after === undefined || metadata.uri > after),
      );
      const entries = found.slice(0, limit);
      const next = entries.length < found.length ? entries.at(-1)?.metadata.uri : undefined;
      return { entries, ...(next === undefined ? {} : { next }) };
    },
    statements: (uri) => all().filter(({ metadata }) => metadata.uri === uri),
    dataset: () => all(),
  };
  const fake: FakeRegistry = {
    catalog,
    revision: { epoch: 'e1', number: 1, since: clock.now() },
    networkRevision: { epoch: 'e1', number: 1, since: clock.now() },
    say(source, components, document = source.url) {
      for (const component of components) {
        entriesOf(source).set(component.uri, entry(component, source, document));
      }
      moved();
    },
    async upsertLocal(components) {
      const own = entriesOf(LOCAL);
      const added = components.filter(({ uri }) => !own.has(uri)).length;
      const changed = components.filter((component) => {
        const before = own.get(component.uri);
        return before && !sameMetadata(before.metadata, component);
      }).length;
      for (const component of components) own.set(component.uri, entry(component, LOCAL, LOCAL.url));
      if (added + changed > 0) moved();
      return { added, changed, removed: 0 };
    },
    async removeLocal(uri) {
      const removed = entriesOf(LOCAL).delete(uri);
      if (removed) moved();
      return removed;
    },
  };
  return fake;
}

const NOBODY = precedenceOf({ pods: [], peers: [] });
