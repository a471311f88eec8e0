import { cp, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DataFactory } from 'n3';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Metadata } from '../../src/component/metadata.js';
import { LOCAL, type Source } from '../../src/component/source.js';
import { storedQuads } from '../../src/component/writing/metadata-quads.js';
import type { Keep, Writes } from '../../src/keep/keep.js';
import { rowKey } from '../../src/keep/level/row-keys.js';
import { mendRegistry } from '../../src/registry/mend-registry.js';
import { openRegistry as openOn } from '../../src/registry/open-registry.js';
import { graphName } from '../../src/registry/row-keys.js';
import { onLevel, openedIn, repaired } from '../keep/level-engine.js';
import { flipBit } from '../support/damage.js';
import { component, named, openRegistry, registryOptions, type TestRegistry } from '../support/registry.js';
import { seededRandom } from '../support/seeded-random.js';
import { tempDir } from '../support/temp-dir.js';
import { rounds, seed } from '../support/torture.js';
import { quadsOf, written } from './histories.js';
import { POD_A } from './sources.js';

const ROUNDS = rounds({ short: 2, full: 60 });
const options = { order: { pods: [POD_A.url], peers: [] } };
const URL = `${POD_A.url}doc`;

let data: string;

const open = async (): Promise<TestRegistry> => openRegistry(await openedIn(data), options);

const repair = (apply = true) =>
  repaired(
    data,
    async (place, salvage) =>
      mendRegistry(
        salvage,
        await openOn(await place.keep('registry'), registryOptions(options), registryOptions(options)),
      ),
    apply,
  );

/** Changes the rows of a table, as LevelDB has them, that have a text in them. */
const change = (table: string, part: string, value: string | undefined) =>
  onLevel(data, async (level) => {
    const range = { gt: rowKey({ service: 'registry', table, key: '' }), lt: `row/registry/${table}0` };
    const found = (await level.iterator(range).all()).filter((row) => row.join(' ').includes(part));
    expect(found.length).toBeGreaterThan(0);
    for (const [key] of found) await (value === undefined ? level.del(key) : level.put(key, value));
  });

async function onKeep<T>(task: (keep: Keep) => Promise<T>): Promise<T> {
  const place = await openedIn(data);
  const result = await task(await place.keep('registry'));
  await place.close();
  return result;
}

/** Changes quads behind the registry's back. */
const changeQuads = (quads: Writes['quads']) =>
  onKeep((keep) => keep.exclusively(async () => ({ quads: quads ?? {}, result: undefined })));

const quadsOfOne = (name: string, source: Source, url: string) =>
  storedQuads(component(name), DataFactory.namedNode(graphName(source, url)));

const say = (registry: TestRegistry, ...names: string[]) =>
  registry.commit({
    source: POD_A,
    documents: [{ url: URL, components: named(...names), record: { etag: '"1"' } }],
    record: { failures: 0, memo: { cursor: 'c' } },
  });

const has = (text: string | RegExp) => expect.stringMatching(text);

describe('the repair of a registry', () => {
  beforeEach(async () => {
    data = join(await tempDir(), 'store');
    const registry = await open();
    await registry.upsertLocal([component('own'), component('mine')]);
    await say(registry, 'a', 'b');
    await registry.close();
  });

  /** What is left, and what keeps the pod from being read again whole. */
  async function left() {
    const registry = await open();
    const stored = await registry.source(POD_A);
    const validators = [stored?.record.memo, stored?.documents.get(URL)?.etag];
    const labels = (await registry.labels()).sort();
    await registry.close();
    return { labels, isReadAgain: validators.every((one) => one === undefined) };
  }

  it('makes what was posted from its quads, and has the pods read again', async () => {
    await change('statement', component('own').uri, '00000000{}');
    const dry = await repair(false);
    const applied = await repair();
    expect({ ...applied, kept: undefined }).toEqual({ ...dry, kept: undefined });
    expect(applied).toMatchObject({
      damaged: [
        has('of the table "statement"'),
        '2 descriptions of the local urn:registry:local have been stored, and 1 are there',
      ],
      rebuilt: ['1 component posted to this node, from what is left of the quads'],
      lost: [has('read again in full'), has('posted again')],
    });
    expect(await left()).toEqual({ labels: ['a', 'b', 'mine', 'own'], isReadAgain: true });
    expect((await repair())?.damaged).toEqual([]);
  });

  it('names what was posted when neither its row nor its quads are left', async () => {
    await change('statement', component('own').uri, '00000000{}');
    await changeQuads({ remove: quadsOfOne('own', LOCAL, LOCAL.url) });
    expect(await repair()).toMatchObject({
      rebuilt: [],
      lost: [
        `the description of ${component('own').uri} that was posted to this node`,
        has('read again'),
        has('posted again'),
      ],
    });
    expect((await left()).labels).toEqual(['a', 'b', 'mine']);
  });

  it('makes quads from the rows, and has the pod read again: nothing is lost', async () => {
    await changeQuads({
      remove: quadsOfOne('own', LOCAL, LOCAL.url).slice(0, 1),
      put: quadsOfOne('stranger', POD_A, URL),
    });
    expect(await repair()).toMatchObject({
      damaged: ['the quads about 1 component are not what was written'],
      rebuilt: ['the quads about 1 component, from the rows'],
      lost: [],
    });
    await onKeep(async (keep) => {
      expect(await quadsOf(keep, LOCAL, LOCAL.url)).toEqual(written(named('mine', 'own'), LOCAL, LOCAL.url));
      expect(await quadsOf(keep, POD_A, URL)).toEqual(written(named('a', 'b'), POD_A, URL));
    });
    expect(await left()).toEqual({ labels: ['a', 'b', 'mine', 'own'], isReadAgain: true });
  });

  it('has a pod read again of which everything is lost but the names of its documents', async () => {
    // No row tells of them any more: what is left looks like a pod that says nothing.
    for (const table of ['hash', 'statement']) await change(table, POD_A.url, undefined);
    await rm(join(data, 'CURRENT'));
    expect((await repair())?.damaged).toEqual([has('CURRENT'), has('otherwise than they are there')]);
    expect(await left()).toEqual({ labels: ['mine', 'own'], isReadAgain: true });
    expect(await onKeep((keep) => quadsOf(keep, POD_A, URL))).toEqual([]);
  });
});

describe(`one flipped bit (seed ${seed})`, () => {
  const texts = (list: readonly Metadata[]) => list.map((one) => JSON.stringify(one));

  /** Most of the data in tables, the latest changes in the log; and all that is stored. */
  async function filled() {
    data = join(await tempDir(), 'whole');
    const numbered = (from: number, count: number) =>
      Array.from({ length: count }, (_, i) => component(`c${from + i}`, { tag: [`tag-${i}`] }));
    const registry = await open();
    await registry.upsertLocal(numbered(0, 200));
    await say(registry, ...numbered(100, 200).map(({ label }) => label));
    await registry.close();
    await onLevel(data, (level) => level.compactRange('', '\uffff'));
    const again = await open();
    for (let i = 0; i < 20; i++) await again.upsertLocal(numbered(500 + i, 1));
    const stored = new Set(texts((await again.everything()).map(({ metadata }) => metadata)));
    await again.close();
    return { whole: data, stored };
  }

  /** LevelDB ends the process over some tables whose structure is damaged: here the text of rows is. */
  const places = {
    tables: { kind: /\.(ldb|sst)$/, within: '"isUpdate"' },
    log: { kind: /\.log$/ },
    manifest: { kind: /^MANIFEST/ },
  };
  it.each(Object.entries(places))(
    'in the %s: after a repair nothing is served but what was stored, and no second repair is needed',
    { timeout: 20_000 + ROUNDS * 5_000 },
    async (_, place) => {
      const { whole, stored } = await filled();
      data = join(dirname(whole), 'store');
      for (let round = 0; round < ROUNDS; round++) {
        await rm(data, { recursive: true, force: true });
        await cp(whole, data, { recursive: true });
        const flipped = await flipBit(data, place, seededRandom(seed + round));
        const dry = await repair(false);
        const applied = await repair();
        expect([applied?.damaged, applied?.lost], flipped).toEqual([dry?.damaged, dry?.lost]);
        const registry = await open();
        const served = texts((await registry.everything()).map(({ metadata }) => metadata));
        expect(
          served.filter((one) => !stored.has(one)),
          flipped,
        ).toEqual([]);
        if (applied?.lost.length === 0) expect(served.length, flipped).toBe(stored.size);
        await registry.close();
        expect((await repair(false))?.damaged, flipped).toEqual([]);
        await rm(`${data}.damaged-then`, { recursive: true, force: true });
      }
    },
  );
});
