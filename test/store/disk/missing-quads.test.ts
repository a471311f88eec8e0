import { rm } from 'node:fs/promises';
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
import { openLevel } from '../../../src/store/disk/database/level.js';
import type { QuadStore } from '../../../src/store/disk/database/quad-store.js';
import { repairDatabase } from '../../../src/store/disk/repair/repair.js';
import { reconcileRegistry } from '../../../src/store/disk/repair/repair-registry.js';
import type { LoadOptions } from '../../../src/store/registry-store.js';
import { BASE_URL, component, openRegistry, type TestRegistry, VOCABULARY } from '../../support/registry.js';
import { openQuadStore } from '../../support/stores.js';
import { tempDir } from '../../support/temp-dir.js';

const POD: Source = { kind: 'pod', url: 'https://pod.example/' };
const precedence = precedenceOf({ pods: [POD.url], peers: [] });
const A = component('a', { label: 'mine, {"@id": too', tag: ['x', 'y'], latest: true, description: '' });

let directory: string;
beforeEach(async () => {
  directory = join(await tempDir(), 'registry');
  const registry = await open();
  await registry.upsertLocal([A, component('b', { author: ['Ann', 'Bob'] })]);
  await registry.commit({
    source: POD,
    documents: [
      { url: POD.url, components: [component('a', { shapes: ['urn:s'] })], record: { etag: '"1"' } },
    ],
    record: { failures: 0 },
  });
  await registry.close();
});

async function open(more: Partial<LoadOptions> = {}): Promise<TestRegistry> {
  const level = await openLevel(directory);
  try {
    return await openRegistry(level, { precedence, ...more });
  } catch (error) {
    await level.close();
    throw error;
  }
}

async function onDisk<T>(task: (store: QuadStore) => Promise<T>): Promise<T> {
  const store = await openQuadStore(await openLevel(directory));
  try {
    return await task(store);
  } finally {
    await store.close();
  }
}

/** Removes quads behind the registry's back. */
const lose = (most: number, graph?: string) =>
  onDisk(async (store) => {
    for await (const quads of store.read({})) {
      const remove = quads.filter((quad) => graph === undefined || quad.graph.value === graph).slice(0, most);
      if (remove.length === 0) continue;
      await store.write({ remove, durable: true });
      return;
    }
  });

/** Everything that is there, rows and quads. */
const content = () =>
  onDisk(async (store) => {
    const all: unknown[] = [];
    for (const table of ['statement', 'graph', 'document', 'source', 'meta', 'hash', 'state'])
      for await (const rows of store.texts(table))
        all.push(...rows.filter(([key]) => key !== 'acknowledged'));
    for await (const quads of store.read({})) all.push(quads.length);
    return all;
  });

const repair = (apply: boolean) =>
  repairDatabase(directory, {
    ...{ apply, suffix: 'now', pace: systemPace },
    reconcile: reconcileRegistry({
      ...{ baseUrl: BASE_URL, vocabulary: VOCABULARY, clock: systemClock, pace: systemPace },
    }),
  });

describe('a registry that has lost quads', () => {
  const CHANGED: readonly (readonly [string, Partial<LoadOptions>])[] = [
    ['as it was', {}],
    ['under another baseUrl', { baseUrl: 'https://elsewhere.example' }],
    ['with another vocabulary', { vocabulary: createVocabulary('https://voc.example/#') }],
  ];
  describe.each(CHANGED)('is not opened %s', (_how, more) => {
    it.each([
      ['all of the local graph', 1000, LOCAL.url],
      ['a single one', 1, LOCAL.url],
      ['some of a pod', 2, undefined],
    ])('without %s; nothing is deleted, and repair brings all of it back', async (_what, most, graph) => {
      await lose(most, graph);
      const before = await content();
      for (let round = 0; round < 2; round++) {
        await expect(open(more)).rejects.toThrow(
          /(there are \d+ quads, and 16 have|the quads of the \S+ \S+ do not say what has) been stored.*repair/,
        );
        await expect(open(more)).rejects.toThrow(DamagedData);
      }
      expect(await content()).toEqual(before);
      const looked = await repair(false);
      expect(looked?.findings.damaged).toEqual([
        expect.stringMatching(/quads of \d components are not what/),
      ]);
      expect(looked?.findings.lost).toEqual([]);
      await repair(true);
      const registry = await open(more);
      const said = (await registry.everything()).map(({ metadata, source }) => [source.kind, metadata]);
      expect(said).toEqual([
        ['pod', component('a', { shapes: ['urn:s'] })],
        ['local', A],
        ['local', component('b', { author: ['Ann', 'Bob'] })],
      ]);
      await registry.close();
      await rm(`${directory}.damaged-now`, { recursive: true, force: true });
    });
  });

  it.each(CHANGED.slice(1))('is not opened %s when a quad says something else', async (_how, more) => {
    await onDisk(async (store) => {
      for await (const quads of store.read({})) {
        const said = quads.find(({ object }) => object.value === 'Ann') as Quad;
        const other = DataFactory.quad(
          said.subject as never,
          said.predicate as never,
          DataFactory.literal('Eve'),
          said.graph as never,
        );
        await store.write({ remove: [said], add: [other as Quad], durable: true });
      }
    });
    const before = await content();
    await expect(open(more)).rejects.toThrow(/the quads of the local \S+ do not say what has been stored/);
    expect(await content()).toEqual(before);
    await repair(true);
    const registry = await open(more);
    expect((await registry.get(component('b').uri))?.author).toEqual(['Ann', 'Bob']);
    await registry.close();
  });

  it('is opened as ever when it has lost none, and a repair finds nothing', async () => {
    expect((await repair(false))?.findings).toEqual({ damaged: [], rebuilt: [], lost: [] });
    for (const [, more] of CHANGED) {
      const registry = await open(more);
      expect(await registry.everything()).toHaveLength(3);
      await registry.close();
    }
  });
});
