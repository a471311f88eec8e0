import { describe, expect, it } from 'vitest';
import { descriptionsOf, type Page } from '../../src/catalog/catalog.js';
import { editOf, type Swap } from '../../src/catalog/catalog-change.js';
import { CatalogLoader } from '../../src/catalog/catalog-loader.js';
import type { ComponentCatalog } from '../../src/catalog/component-catalog.js';
import type { Query } from '../../src/component/query.js';
import { LOCAL } from '../../src/component/source.js';
import { systemPace } from '../../src/lib/pace.js';
import { notedPauses } from '../support/pauses.js';
import { component, memoryData, memoryRegistry, NAMING, type TestRegistry } from '../support/registry.js';

/** Three thousand components of 600 bytes: a third has the tag `t`, seven have `rare`, three of these both. */
const MANY = Array.from({ length: 3_000 }, (_, i) => {
  const tag = [...(i % 3 === 0 ? ['t'] : []), ...(i % 499 === 0 ? ['rare'] : [])];
  return component(String(i).padStart(4, '0'), { tag, description: i === 7 ? 'odd' : 'even' });
});

/** The catalog as its writer has it. */
const writable = ({ catalog }: TestRegistry) => catalog as ComponentCatalog;

/** Shows another state, with these contents. */
async function show(catalog: ComponentCatalog, swap: Swap | undefined, position = 0): Promise<void> {
  const { feed, ...state } = await catalog.state();
  const states = { digestAt: () => undefined };
  catalog.show({ ...state, states, feed: { ...feed, position: feed.position + position } }, swap);
}

const data = memoryData();
let backup: ReturnType<typeof data.backup> | undefined;
async function filled(): Promise<NonNullable<typeof backup>> {
  const registry = await memoryRegistry({}, data);
  await registry.upsertLocal(MANY);
  await registry.close();
  return data.backup();
}

/** A registry of them that writes down, for each piece of work that may pause, how often it could have. */
async function counting() {
  const work: number[] = [];
  const pace = () => {
    const number = work.push(0) - 1;
    return () => {
      work[number] = (work[number] as number) + 1;
      return undefined;
    };
  };
  backup ??= await filled();
  data.restore(backup);
  const registry = await memoryRegistry({ pace }, data);
  // Now its index is made.
  await registry.catalog.counts({});
  const costOf = async (query: Query, more?: Parameters<typeof registry.catalog.page>[1]) => {
    work.length = 0;
    const page = await registry.catalog.page(query, more);
    const found = (await descriptionsOf(page)).length;
    return { found, cost: work.reduce((sum, count) => sum + count, 0) };
  };
  return { registry, costOf };
}

/** Fifty components that are looked through with pauses; `steps` has the number of each piece of work that paused. */
async function pausing() {
  const steps: number[] = [];
  let works = 0;
  const registry = await memoryRegistry({
    pace: () => {
      const number = ++works;
      return () => {
        steps.push(number);
        return new Promise(setImmediate);
      };
    },
  });
  await registry.upsertLocal(MANY.slice(0, 50));
  steps.length = 0;
  return { catalog: writable(registry), steps };
}

describe('a query', () => {
  it('costs what its shortest list has, and gives way to others meanwhile', async () => {
    const { costOf } = await counting();
    expect(await costOf({ tag: ['t'] })).toEqual({ found: 1_000, cost: expect.any(Number) });
    const both = await costOf({ tag: ['t', 'rare'] });
    expect(both.found).toBe(3);
    expect(both.cost).toBeLessThan(10);
    const filtered = await costOf({ tag: ['t'], label: '0003' });
    expect(filtered).toEqual({ found: 1, cost: 1_000 });
    const single = await costOf({ uri: component('0003').uri, label: '0003', tag: ['t'] });
    expect(single.found).toBe(1);
    expect(single.cost).toBeLessThan(10);
    const first = await costOf({ label: '0003' }, { limit: 1 });
    expect(first).toEqual({ found: 1, cost: 3_000 });
    expect((await costOf({ latest: false }, { limit: 1, after: component('2990').uri })).cost).toBeLessThan(
      11,
    );
  });

  it('for words looks through everything once, as long as it is among the latest ten', async () => {
    const { registry, costOf } = await counting();
    const words = { q: 'odd' };
    expect(await costOf(words)).toEqual({ found: 1, cost: 3_000 });
    expect(await costOf({ q: 'even' }, { limit: 5 })).toEqual({ found: 5, cost: 3_000 });
    expect(await costOf({ q: 'even' }, { limit: 5, after: component('0100').uri })).toEqual({
      found: 5,
      cost: 0,
    });
    expect(await costOf(words)).toEqual({ found: 1, cost: 0 });
    for (let i = 0; i < 10; i++) await costOf({ q: `word ${i}` });
    expect(await costOf(words)).toEqual({ found: 1, cost: 3_000 });
    expect((await costOf({ q: 'odd', tag: ['rare'] })).cost).toBeLessThan(10);
    await registry.upsertLocal([component('0001', { description: 'odd' })]);
    expect(await costOf(words)).toEqual({ found: 2, cost: 3_000 });
  });

  it('for words waits for the one before it, in whatever state of the catalog', async () => {
    const { catalog, steps } = await pausing();
    const swap = await catalog.prepare([{ document: 'nobody', uri: 'https://c.example/none.js' }]);
    steps.length = 0;
    const before = ['odd', 'even'].map((q) => catalog.page({ q }));
    await show(catalog, swap);
    await Promise.all([...before, catalog.page({ q: 'odd' })]);
    expect(steps).toEqual(steps.toSorted((one, other) => one - other));
    expect(steps).toHaveLength(3 * 50);
  });

  it('for words looks once for a page and its counts, which the home page asks for at once', async () => {
    const { catalog, steps } = await pausing();
    const [page, { total }] = await Promise.all([
      catalog.page({ q: 'odd' }, { limit: 20 }),
      catalog.counts({ q: 'odd' }),
    ]);
    expect([(await descriptionsOf(page)).length, total]).toEqual([1, 1]);
    // One more than everything: the match, whose values are counted.
    expect(steps).toHaveLength(50 + 1);
  });
});

it('whatever is long gives way to other work', async () => {
  const { pace, expectPauses } = notedPauses();
  const registry = await memoryRegistry({ pace });
  const { catalog } = registry;
  for (const work of [
    () => registry.upsertLocal(MANY.slice(0, 100)),
    () => registry.commitOwn({ remove: MANY.slice(50, 100).map(({ uri }) => uri) }),
    () => catalog.page({ tag: ['t', 'rare'] }),
    () => catalog.page({ latest: false }),
    () => catalog.page({ q: 'odd' }),
    () => catalog.counts({ label: '0003' }),
    () => catalog.served(),
  ])
    await expectPauses(work);
});

it('a portion of changes costs what it tells, however many removals are remembered', async () => {
  const count = 10_100;
  let looked = 0;
  const removals = Array.from({ length: count }, (_, i) => ({
    ...{ source: LOCAL, document: LOCAL.url, uri: component(`${i}`).uri, at: 1_000 },
    get position() {
      looked += 1;
      return i + 1;
    },
  }));
  const contents = await new CatalogLoader(NAMING, systemPace).end(removals, systemPace());
  const catalog = writable(await memoryRegistry());
  await show(catalog, () => contents, count);
  // Who is told of no removals looks at no more of them at once, either.
  expect(await catalog.changes({ limit: 1 })).toMatchObject({ changes: [], next: 10_000 });
  looked = 0;
  const answer = await catalog.changes({ after: count - 100, removals: true, limit: 50 });
  if ('unknown' in answer) throw new Error(answer.unknown);
  expect(answer.changes.map(({ uri }) => uri)).toEqual(removals.slice(-100, -50).map(({ uri }) => uri));
  expect(looked).toBeLessThan(1_000);
});

describe('what readers are given', () => {
  it('are lists of some hundred descriptions', async () => {
    const { catalog } = (await counting()).registry;
    for (const query of [{}, { tag: ['t'] }]) {
      const lengths: number[] = [];
      for await (const some of (await catalog.page(query)).descriptions()) lengths.push(some.length);
      const all = query.tag ? 1_000 : 3_000;
      expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(all);
      expect(Math.max(...lengths)).toBeLessThanOrEqual(500);
      expect(Math.min(...lengths.slice(0, -1))).toBeGreaterThanOrEqual(100);
    }
  });

  it('are the same bytes where others ask for the same list', async () => {
    const { registry } = await counting();
    const wholeOf = async (query: Query) => (await registry.catalog.page(query)).json?.whole();
    await wholeOf({ tag: ['t'] });
    const [second, third] = [await wholeOf({ tag: ['t'] }), await wholeOf({ tag: ['t'] })];
    expect(third).toBe(second);
    expect(JSON.parse(String(third))).toHaveLength(1_000);
    expect(await wholeOf({ tag: ['t', 'rare'] })).not.toBe(await wholeOf({ tag: ['t', 'rare'] }));
    await registry.upsertLocal([component('new', { tag: ['t'] })]);
    expect(await wholeOf({ tag: ['t'] })).not.toEqual(third);
  });

  it('are pieces, of which a change leaves all but its own what they were, and none grows or shrinks for ever', async () => {
    const { registry } = await counting();
    const piecesOf = (page: Page) => [...(page.json?.pieces() ?? [])];
    const bytesOf = (pieces: readonly Uint8Array[]) => Buffer.concat(pieces).toString();
    const urisIn = (objects: string): string[] =>
      JSON.parse(`[${objects}]`).map(({ uri }: { uri: string }) => uri);
    const listing = async (uris: readonly string[]) => {
      const pieces = piecesOf(await registry.catalog.page({}));
      expect(urisIn(bytesOf(pieces.slice(1, -1)))).toEqual(uris);
      const lengths = pieces.slice(1, -1).map(({ length }) => length);
      // But for the last, which has no neighbour to be joined with.
      expect(Math.min(...lengths.slice(0, -1))).toBeGreaterThan(30_000);
      expect(Math.max(...lengths)).toBeLessThan(400_000);
      return pieces;
    };
    const all = MANY.map(({ uri }) => uri);
    let before = await listing(all);
    expect(before.length).toBeGreaterThan(10);
    const [edited, some] = [{ ...component('1500'), label: 'edited' }, all.slice(1_000, 2_000)];
    for (const [put, remove, uris, changed] of [
      [[edited], [], all, 1],
      [[], some, [...all.slice(0, 1_000), ...all.slice(2_000)], 8],
      [MANY.slice(1_000, 2_000), [], all, 9],
      [[], all.slice(0, 1), all.slice(1), 2],
    ] as const) {
      await registry.commitOwn({ put, remove });
      const after = await listing(uris);
      expect(after.filter((piece) => !before.includes(piece)).length).toBeLessThanOrEqual(changed);
      before = after;
    }
    // Nearly all of one piece goes, and nothing of its neighbours.
    const gone = before.slice(5, 6).flatMap((piece) => urisIn(bytesOf([piece.subarray(1)])).slice(1));
    await registry.commitOwn({ remove: gone });
    const [, ...left] = await listing(all.slice(1).filter((uri) => !gone.includes(uri)));
    // A removal that is remembered no longer changes none.
    const catalog = writable(registry);
    const forgotten = [...catalog.remembered.values()];
    expect(forgotten).toHaveLength(gone.length + 1);
    await show(
      catalog,
      await catalog.prepare(forgotten.map((one) => ({ ...editOf(one), removal: undefined }))),
    );
    const unchanged = piecesOf(await catalog.page({})).slice(1);
    expect(unchanged.map((piece) => left.indexOf(piece))).toEqual([...left.keys()]);
    expect((await catalog.state()).feed.tombstones).toBe(0);
    const tagged = await catalog.page({ tag: ['t'] });
    expect(piecesOf(tagged).length).toBeGreaterThan(5);
    expect(Math.max(...piecesOf(tagged).map(({ length }) => length))).toBeLessThan(100_000);
  });

  it('are fewer changes than were asked for where they are long', async () => {
    const registry = await memoryRegistry();
    const description = 'x'.repeat(50_000);
    await registry.upsertLocal(MANY.slice(0, 40).map((one) => ({ ...one, description })));
    const { changes, next } = await registry.changes({ limit: 100 });
    expect(changes.length).toBeGreaterThan(0);
    expect(changes.length).toBeLessThan(15);
    expect(next).toBe(changes.at(-1)?.position);
  });
});
