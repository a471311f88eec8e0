import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compareUri, type Metadata } from '../../src/component/metadata.js';
import { LOCAL, precedenceOf, type Source } from '../../src/component/precedence.js';
import type { Query } from '../../src/component/query.js';
import { compileQuery } from '../../src/component/query.js';
import { createVocabulary } from '../../src/component/vocabulary.js';
import { systemClock } from '../../src/lib/clock.js';
import { StorageFailure } from '../../src/lib/faults.js';
import type { Level } from '../../src/store/level.js';
import { QuadStore } from '../../src/store/quad-store.js';
import type { Registry } from '../../src/store/registry.js';
import { SCHEMA_VERSION } from '../../src/store/tables.js';
import { metadataList } from '../support/arbitrary.js';
import { component, openRegistry, registryOptions } from '../support/registry.js';
import { PLACES, type Place } from '../support/stores.js';
import { waitFor } from '../support/wait-for.js';

const POD_A: Source = { kind: 'pod', url: 'https://a.example/' };
const POD_B: Source = { kind: 'pod', url: 'https://b.example/' };
const LEARNED: Source = { kind: 'pod', url: 'https://learned.example/' };
const PEER: Source = { kind: 'peer', url: 'https://peer.example' };
const precedence = precedenceOf({ pods: [POD_A.url, POD_B.url], peers: [PEER.url] });
const OK = { failures: 0 };

describe.each(Object.keys(PLACES))('the registry in %s', (kind) => {
  let place: Place;
  let level: Level;
  let registry: Registry;

  beforeEach(async () => {
    place = await (PLACES[kind] as () => Promise<Place>)();
    level = await place.open();
    registry = await openRegistry(level, { precedence });
  });
  afterEach(async () => {
    await registry.close();
    await place.remove();
  });

  async function reopen(more: Parameters<typeof openRegistry>[1] = {}): Promise<void> {
    await registry.close();
    level = await place.open();
    registry = await openRegistry(level, { precedence, ...more });
  }
  const say = (source: Source, components: Metadata[], url = `${source.url}doc`) =>
    registry.commit({ source, documents: [{ url, components, record: { etag: '"1"' } }], record: OK });
  const served = () => registry.catalog.select({}).entries.map(({ metadata }) => metadata);
  const labels = () => served().map(({ label }) => label);
  const everything = () => [...registry.catalog.withLosers(registry.catalog.select({}).entries)];

  it('serves what was committed, before and after a restart', async () => {
    await fc.assert(
      fc.asyncProperty(metadataList, async (components) => {
        await say(POD_A, components);
        const expected = [...components].sort((a, b) => compareUri(a.uri, b.uri));
        expect(served()).toEqual(expected);
        await reopen();
        expect(served()).toEqual(expected);
      }),
      { numRuns: 25 },
    );
  });

  it('counts what a commit changes, and moves the revision for nothing else', async () => {
    expect(await say(POD_A, [component('a'), component('b')])).toEqual({ added: 2, changed: 0, removed: 0 });
    const { revision } = registry;
    expect(await say(POD_A, [component('b'), component('a')])).toEqual({ added: 0, changed: 0, removed: 0 });
    expect(registry.revision).toEqual(revision);
    expect(await say(POD_A, [component('a', { label: 'A' })])).toEqual({ added: 0, changed: 1, removed: 1 });
    expect(registry.revision.number).toBe(revision.number + 1);
    expect(labels()).toEqual(['A']);
  });

  it('keeps the revision over a restart, but not when the same quads look different', async () => {
    await say(POD_A, [component('a')]);
    const { revision } = registry;
    await reopen();
    expect(registry.revision).toEqual(revision);
    await reopen({ baseUrl: 'https://elsewhere.example' });
    expect(registry.revision.number).toBe(revision.number + 1);
    expect(registry.revision.epoch).toBe(revision.epoch);
    const moved = registry.revision;
    await reopen({ baseUrl: 'https://elsewhere.example', servedAs: 'another order' });
    expect(registry.revision.number).toBe(moved.number + 1);
  });

  it('dates a change by when readers saw it, where writing it took into another second', async () => {
    let now = Math.ceil(Date.now() / 1000) * 1000 + 60_900;
    const written = now + 1_300;
    await reopen({ clock: { ...systemClock, now: () => now } });
    const batch = level.batch.bind(level);
    Object.assign(level, {
      batch: () => {
        const made = (batch as () => { write(options: object): Promise<void> })();
        const write = made.write.bind(made);
        return Object.assign(made, {
          write: async (options: object) => {
            await write(options);
            now = written;
          },
        });
      },
    });
    await say(POD_A, [component('a')]);
    expect(registry.revision.since).toBe(written);
    const { revision } = registry;
    await reopen();
    expect(registry.revision).toEqual(revision);
  });

  it('serves exactly one description of a component, by precedence', async () => {
    const from = (label: string) => [component('x', { label })];
    await say(PEER, from('peer'));
    expect(labels()).toEqual(['peer']);
    await say(LEARNED, from('learned'));
    expect(labels()).toEqual(['learned']);
    await registry.upsertLocal(from('own'));
    expect(labels()).toEqual(['own']);
    await say(POD_B, from('b'));
    await say(POD_A, from('a'));
    expect(labels()).toEqual(['a']);
    expect(everything().map(({ metadata }) => metadata.label)).toEqual(['a', 'b', 'own', 'learned', 'peer']);
    await reopen();
    expect(everything().map(({ metadata }) => metadata.label)).toEqual(['a', 'b', 'own', 'learned', 'peer']);
    await registry.forget(POD_A);
    await registry.forget(POD_B);
    expect(labels()).toEqual(['own']);
    expect(await registry.removeLocal(component('x').uri)).toBe(true);
    expect(labels()).toEqual(['learned']);
  });

  it('finds the same by posting lists as by looking at every component', async () => {
    const pick = <T>(values: T[]) => fc.constantFrom(...values);
    const anyComponent = fc
      .record({
        name: pick([...'abcdefgh']),
        version: fc.option(pick(['1.0.0', '1.2.0', '2.0.0-beta.1', 'latest']), { nil: undefined }),
        latest: fc.option(fc.boolean(), { nil: undefined }),
        tag: fc.uniqueArray(pick(['t', 'u', 'v'])),
        shapes: fc.uniqueArray(pick(['http://s/1', 'http://s/2'])),
      })
      .map(({ name, version, latest, tag, shapes }) =>
        component(name, {
          tag: tag.sort(),
          shapes: shapes.sort(),
          ...(version === undefined ? {} : { version }),
          ...(latest === undefined ? {} : { latest }),
        }),
      );
    const anyQuery = fc.record(
      {
        uri: pick([component('a').uri, component('z').uri]),
        label: pick(['a', 'b']),
        version: pick(['^1.0.0', '1.0.0', 'latest', '*', '>=2.0.0-alpha']),
        latest: fc.boolean(),
        tag: fc.uniqueArray(pick(['t', 'u', 'w'])),
        shapes: fc.uniqueArray(pick(['http://s/1', 'http://s/2'])),
      },
      { requiredKeys: [] },
    ) as fc.Arbitrary<Query>;
    const step = fc.record({
      source: pick([POD_A, POD_B, PEER]),
      components: fc.uniqueArray(anyComponent, { selector: ({ uri }) => uri, maxLength: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 5 }), anyQuery, fc.nat(3), async (steps, query, limit) => {
        for (const { source, components } of steps) await say(source, components);
        const expected = served().filter(compileQuery(query));
        expect(registry.catalog.select(query).entries.map(({ metadata }) => metadata)).toEqual(expected);
        const paged: Metadata[] = [];
        for (let after: string | undefined, pages = 0; pages < 20; pages++) {
          const page = registry.catalog.select(query, { limit: limit + 1, after });
          paged.push(...page.entries.map(({ metadata }) => metadata));
          after = page.next;
          if (after === undefined) break;
        }
        expect(paged).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });

  it('remembers of sources and documents what it was told, in the same batch', async () => {
    const url = `${POD_A.url}doc`;
    await registry.commit({
      source: POD_A,
      documents: [
        { url, components: [component('a')], record: { etag: '"1"', modified: '2026' } },
        { url: `${POD_A.url}empty`, components: [], record: { hash: 'x' } },
      ],
      record: { failures: 0, lastSuccess: 5, memo: { listing: 1 } },
    });
    await registry.commit({
      source: POD_A,
      documents: [{ url, record: { etag: '"2"' } }],
      record: { failures: 2, error: 'down' },
    });
    await reopen();
    const held = registry.source(POD_A);
    expect(held?.record).toEqual({ failures: 2, error: 'down' });
    expect(Object.fromEntries(held?.documents ?? [])).toEqual({
      [url]: { etag: '"2"', components: 1 },
      [`${POD_A.url}empty`]: { hash: 'x', components: 0 },
    });
    await registry.commit({ source: POD_A, documents: [{ url, record: null }], record: OK });
    expect(registry.catalog.size).toBe(0);
    await registry.forget(POD_A);
    await reopen();
    expect(registry.source(POD_A)).toBeUndefined();
  });

  it('leaves everything as it was when the disk refuses', async () => {
    await say(POD_A, [component('a')]);
    const { revision } = registry;
    const batch = level.batch.bind(level);
    Object.assign(level, {
      batch: () =>
        Object.assign((batch as () => object)(), { write: () => Promise.reject(new Error('no space left')) }),
    });
    await expect(say(POD_A, [component('b')])).rejects.toThrow(StorageFailure);
    await expect(registry.upsertLocal([component('c')])).rejects.toThrow('disk of this node is full');
    expect(labels()).toEqual(['a']);
    expect(registry.revision).toEqual(revision);
    Object.assign(level, { batch });
    await waitFor(() => say(POD_A, [component('b')]));
    expect(labels()).toEqual(['b']);
  });

  it('takes writes to its own graph one after another, all or nothing', async () => {
    await Promise.all(
      [...'abcde'].map((name) =>
        registry.upsertLocal([component(name), component('shared', { label: name })]),
      ),
    );
    expect(registry.catalog.size).toBe(6);
    await reopen();
    expect(registry.catalog.size).toBe(6);
    expect(registry.source(LOCAL)?.documents.get(LOCAL.url)?.components).toBe(6);
    expect(await registry.removeLocal('https://c.example/none.js')).toBe(false);
  });

  it('keeps apart two sources that hold the same document', async () => {
    const url = 'https://a.example/shared';
    await say(POD_A, [component('x')], url);
    await say(POD_B, [component('x')], url);
    await registry.forget(POD_A);
    await reopen();
    expect(everything().map(({ source }) => source)).toEqual([POD_B]);
  });

  it('gives readers snapshots', async () => {
    await say(POD_A, [component('a'), component('b')]);
    const { entries } = registry.catalog.select({});
    const dataset = registry.catalog.withLosers(entries);
    await say(POD_A, [component('c')]);
    expect(entries.map(({ metadata }) => metadata.label)).toEqual(['a', 'b']);
    expect([...dataset]).toHaveLength(2);
    expect(labels()).toEqual(['c']);
  });

  it('says everything anew when the vocabulary changes, and reads its documents again', async () => {
    await say(POD_A, [component('a', { tag: ['t'] })]);
    await reopen({ vocabulary: createVocabulary('https://other.example/voc#') });
    expect(served()).toEqual([component('a', { tag: ['t'] })]);
    expect(registry.source(POD_A)?.documents.get(`${POD_A.url}doc`)).toEqual({ components: 1 });
    await reopen({ vocabulary: createVocabulary('https://other.example/voc#') });
    expect(served()).toEqual([component('a', { tag: ['t'] })]);
  });

  it('moves the revision of the lists only when they change', async () => {
    const lists = { peers: [{ url: 'https://p.example', hops: 0, via: [] }], storage: [] };
    await registry.setNetwork(lists);
    const { networkRevision } = registry;
    await registry.setNetwork(structuredClone(lists));
    expect(registry.networkRevision).toEqual(networkRevision);
    await reopen();
    expect(registry.networkRevision).toEqual(networkRevision);
    expect(registry.network).toEqual(lists);
    await registry.setNetwork({ peers: [], storage: [] });
    expect(registry.networkRevision.number).toBe(networkRevision.number + 1);
  });

  it('refuses a directory that a newer version has written', async () => {
    await registry.close();
    level = await place.open();
    const store = await QuadStore.open(level);
    await store.write({ rows: [{ table: 'meta', key: 'schema', value: SCHEMA_VERSION + 1 }], durable: true });
    const { Registry } = await import('../../src/store/registry.js');
    await expect(Registry.open(store, registryOptions())).rejects.toThrow(/schema version 4.*newer version/s);
  });
});
