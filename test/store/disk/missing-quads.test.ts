import { join } from 'node:path';
import type { Quad } from '@rdfjs/types';
import { DataFactory } from 'n3';
import { beforeEach, describe, expect, it } from 'vitest';
import { LOCAL, type Source } from '../../../src/component/source.js';
import { createVocabulary } from '../../../src/component/vocabulary.js';
import { precedenceOf } from '../../../src/core/precedence.js';
import { systemClock } from '../../../src/lib/clock.js';
import { systemPace } from '../../../src/lib/pace.js';
import { DamagedData } from '../../../src/store/disk/database/damage.js';
import { graphName } from '../../../src/store/disk/database/graph-name.js';
import { openLevel } from '../../../src/store/disk/database/level.js';
import type { DiskStoreOptions } from '../../../src/store/disk/disk-store.js';
import { otherSources } from '../../../src/store/disk/loading/check-quads.js';
import { repairDatabase } from '../../../src/store/disk/repair/repair.js';
import { reconcileRegistry } from '../../../src/store/disk/repair/repair-registry.js';
import type { LoadOptions } from '../../../src/store/registry-store.js';
import { component, openRegistry, type TestRegistry, VOCABULARY } from '../../support/registry.js';
import { withQuadStore } from '../../support/stores.js';
import { tempDir } from '../../support/temp-dir.js';
import { waitFor } from '../../support/wait-for.js';

const POD: Source = { kind: 'pod', url: 'https://pod.example/' };
const precedence = precedenceOf({ pods: [POD.url], peers: [] });
const A = component('a', { label: 'mine, {"@id": too', tag: ['x', 'y'], latest: true, description: '' });

let directory: string;
beforeEach(async () => {
  directory = join(await tempDir(), 'registry');
  const registry = await open();
  await fill(registry);
  await registry.close();
});

/** As it is posted, and as a poll finds it. */
async function fill(registry: TestRegistry): Promise<void> {
  await registry.upsertLocal([A, component('b', { author: ['Ann', 'Bob'] })]);
  await registry.commit({
    source: POD,
    documents: [
      { url: POD.url, components: [component('a', { shapes: ['urn:s'] })], record: { etag: '"1"' } },
    ],
    record: { failures: 0 },
  });
}

async function open(
  more: Partial<LoadOptions> = {},
  options: Partial<DiskStoreOptions> = {},
): Promise<TestRegistry> {
  const level = await openLevel(directory);
  try {
    return await openRegistry(level, { precedence, ...more }, options);
  } catch (error) {
    await level.close();
    throw error;
  }
}

/** Removes quads behind the registry's back. */
const lose = (most: number, graph: string) =>
  withQuadStore(directory, async (store) => {
    for await (const quads of store.read()) {
      const remove = quads.filter((quad) => quad.graph.value === graph).slice(0, most);
      if (remove.length === 0) continue;
      await store.write({ remove, durable: true });
      return;
    }
  });

/** Everything that is there, rows and quads. */
const content = () =>
  withQuadStore(directory, async (store) => {
    const all: unknown[] = [];
    for (const table of ['statement', 'graph', 'document', 'source', 'meta', 'hash', 'state'])
      for await (const rows of store.texts(table))
        all.push(...rows.filter(([key]) => key !== 'acknowledged'));
    for await (const quads of store.read()) all.push(quads.length);
    return all;
  });

const repair = (apply: boolean) =>
  repairDatabase(directory, {
    ...{ apply, suffix: 'now', pace: systemPace },
    reconcile: reconcileRegistry({
      ...{ vocabulary: VOCABULARY, clock: systemClock, pace: systemPace },
    }),
  });

const said = async (registry: TestRegistry) =>
  (await registry.everything()).map(({ metadata, source }) => [source.kind, metadata.label]);

/** Everything as the sources say it, and as it was posted. */
const SAID = [
  ['pod', 'a'],
  ['local', A.label],
  ['local', 'b'],
] as const;

describe('a registry that has lost quads', () => {
  const CHANGED: readonly (readonly [string, Partial<LoadOptions>])[] = [
    ['as it was', {}],
    ['under another baseUrl', { baseUrl: 'https://elsewhere.example' }],
    ['with another vocabulary', { vocabulary: createVocabulary('https://voc.example/#') }],
  ];
  describe.each(CHANGED)('is not opened %s', (_how, more) => {
    it.each([
      ['all of the local graph', 1000, LOCAL, ['a', 'b']],
      ['a single one', 1, LOCAL, ['a']],
      ['some of a pod', 2, POD, ['a']],
    ])('without %s; nothing is deleted, and repair names what is lost', async (_what, most, source, lost) => {
      const graph = graphName(source, source.url);
      await lose(most, graph);
      const before = await content();
      for (let round = 0; round < 2; round++) {
        await expect(open(more)).rejects.toThrow(
          /(\d quads are there, and \d+ have|the quads of the \S+ \S+ do not say what has) been stored.*repair/,
        );
        await expect(open(more)).rejects.toThrow(DamagedData);
      }
      expect(await content()).toEqual(before);
      const { damaged, lost: told } = (await repair(false))?.findings ?? { damaged: [], lost: [] };
      expect(damaged).toEqual([
        `not all quads of ${lost.length} components are there`,
        `the quads of the ${source.kind} ${source.url} do not say what has been stored`,
      ]);
      for (const name of lost)
        expect(told.some((one) => one.includes(`${component(name).uri} in the graph ${graph}`))).toBe(true);
      expect(told.at(-1)).toContain('has to be posted again');
      await repair(true);
      const registry = await open(more);
      const labels = lost.map((name) => (name === 'a' && source === LOCAL ? A.label : name));
      const isLeft = ([kind, label]: readonly string[]) =>
        kind !== source.kind || !labels.includes(label as string);
      expect(await said(registry)).toEqual(SAID.filter(isLeft));
      // Nothing keeps a poll from reading all of it again.
      expect((await registry.source(POD))?.documents.get(POD.url)?.etag).toBeUndefined();
      await fill(registry);
      expect(await said(registry)).toEqual(SAID);
      await registry.close();
      await expectRight(more);
    });
  });

  /** Has one quad say something else, behind the registry's back. */
  const alter = (graph: string) =>
    withQuadStore(directory, async (store) => {
      for await (const quads of store.read(graph)) {
        const one = quads.find(({ object }) => ['Ann', 'urn:s'].includes(object.value)) as Quad;
        const object =
          one.object.termType === 'Literal' ? DataFactory.literal('Eve') : DataFactory.namedNode('urn:t');
        const other = DataFactory.quad(
          one.subject as never,
          one.predicate as never,
          object,
          one.graph as never,
        );
        await store.write({ remove: [one], add: [other as Quad], durable: true });
      }
    });

  it('is not opened with another vocabulary when a quad says something else', async () => {
    const more = { vocabulary: createVocabulary('https://voc.example/#') };
    await alter(LOCAL.url);
    const before = await content();
    await expect(open(more)).rejects.toThrow(/the quads of the local \S+ do not say what has been stored/);
    expect(await content()).toEqual(before);
    expect((await repair(true))?.findings).toMatchObject({
      damaged: [expect.stringMatching(/the quads of the local \S+ do not say/)],
      lost: [expect.anything(), expect.stringContaining('has to be posted again')],
    });
    const registry = await open(more);
    await fill(registry);
    expect((await registry.get(component('b').uri))?.author).toEqual(['Ann', 'Bob']);
    await registry.close();
    await expectRight(more);
  });

  it('tells while it runs that what was posted says something else, with the way out', async () => {
    await alter(LOCAL.url);
    const warned: string[] = [];
    const registry = await open(
      { log: { warn: (_fields, message) => void warned.push(message) } },
      { checkAfter: 0 },
    );
    await waitFor(() => warned.length === 2);
    expect(warned).toEqual([
      expect.stringContaining('do not say what'),
      expect.stringMatching(/posted.*repair/),
    ]);
    await registry.close();
  });

  it('has a source whose quads say something else read again', async () => {
    const digest = await digestOf(POD);
    await alter(graphName(POD, POD.url));
    const warned: string[] = [];
    const registry = await open(
      { log: { warn: (_fields, message) => void warned.push(message) } },
      { checkAfter: 0 },
    );
    expect((await registry.get(component('a').uri))?.shapes).toEqual(['urn:t']);
    await waitFor(() => warned.length === 2);
    expect(warned[1]).toContain('it is read again in full');
    const { record, documents } = (await registry.source(POD)) ?? {};
    expect([record, documents?.get(POD.url)?.etag]).toEqual([{ failures: 0 }, undefined]);
    await fill(registry);
    expect((await registry.get(component('a').uri))?.shapes).toEqual(['urn:s']);
    await registry.close();
    expect(await digestOf(POD)).toBe(digest);
    await expectRight({});
  });

  describe('and has a snapshot of the catalog', () => {
    beforeEach(async () => {
      const registry = await open({}, { snapshotsFrom: 1 });
      await registry.upsertLocal([component('c', { tag: ['in the snapshot'] }), component('d')]);
      await registry.close();
      const later = await open({}, { snapshotsFrom: Number.POSITIVE_INFINITY });
      await later.upsertLocal([component('d', { label: 'said since' })]);
      await later.close();
    });

    it.each([
      ['all of the local graph', () => lose(1000, LOCAL.url), ['d']],
      ['a single one', () => lose(1, LOCAL.url), []],
      ['one that says something else now', () => alter(LOCAL.url), []],
    ])('is given back what the snapshot has, without %s', async (_what, damage, gone) => {
      await damage();
      const dry = await repair(false);
      expect(await content()).not.toEqual([]);
      const { findings } = (await repair(true)) ?? {};
      expect(findings).toEqual(dry?.findings);
      expect(findings?.rebuilt).toContainEqual(expect.stringMatching(/\d components?, from the snapshot/));
      expect(findings?.lost.filter((one) => one.includes('the description of'))).toEqual(
        gone.map((name) => expect.stringContaining(component(name).uri)),
      );
      if (gone.length === 0) expect(findings?.lost).toEqual([]);
      const registry = await open();
      const left = [...SAID, ['local', 'c'], ['local', 'said since']].filter(
        ([, label]) => label !== 'said since' || gone.length === 0,
      );
      expect(await said(registry)).toEqual(left);
      expect((await registry.get(component('c').uri))?.tag).toEqual(['in the snapshot']);
      expect((await registry.get(component('b').uri))?.author).toEqual(['Ann', 'Bob']);
      await registry.close();
      await expectRight({});
    });
  });

  it('is opened as ever when it has lost none, and a repair finds nothing', async () => {
    expect((await repair(false))?.findings).toEqual({ damaged: [], rebuilt: [], lost: [] });
    for (const [, more] of CHANGED) {
      const registry = await open(more);
      expect(await registry.everything()).toHaveLength(3);
      await registry.close();
      await expectRight(more);
    }
  });
});

async function digestOf(source: Source): Promise<string | undefined> {
  const registry = await open();
  const { feed } = await registry.state();
  await registry.close();
  return feed.sources.find((one) => one.source.url === source.url)?.digest;
}

/** Quads and digests agree: the check finds nothing. */
async function expectRight(more: Partial<LoadOptions>): Promise<void> {
  expect(
    await withQuadStore(directory, (store) => otherSources(store, more.vocabulary ?? VOCABULARY)),
  ).toEqual([]);
}
