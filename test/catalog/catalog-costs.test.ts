import { describe, expect, it } from 'vitest';
import { descriptionsOf, type Page } from '../../src/catalog/catalog.js';
import { NO_CATALOG_CHANGE } from '../../src/catalog/catalog-change.js';
import type { Origin } from '../../src/catalog/entry.js';
import type { Query } from '../../src/component/query.js';
import { compareText } from '../../src/lib/compare-text.js';
import { notedPauses } from '../support/pauses.js';
import { component } from '../support/registry.js';
import { bytesOf, type Edit, ORIGINS, Pair } from './pair.js';

const [origin] = ORIGINS as [Origin];

/** Three thousand components of 600 bytes: a third has the tag `t`, four of these have `rare`. */
function many(): Edit[] {
  const name = (i: number) => String(i).padStart(4, '0');
  return Array.from({ length: 3_000 }, (_, i) => {
    const tag = [...(i % 3 === 0 ? ['t'] : []), ...(i % 999 === 0 ? ['rare'] : [])];
    return { origin, metadata: component(name(i), { tag, description: i === 7 ? 'odd' : 'even' }) };
  });
}

/** A catalog that writes down, for each piece of work that may pause, how often it could have. */
async function counting() {
  const work: number[] = [];
  const pair = await Pair.open(() => {
    const number = work.push(0) - 1;
    return () => {
      work[number] = (work[number] as number) + 1;
      return undefined;
    };
  });
  await pair.apply(many());
  const costOf = async (query: Query, more?: Parameters<typeof pair.catalog.page>[1]) => {
    work.length = 0;
    const page = await pair.catalog.page(query, more);
    const found = (await descriptionsOf(page)).length;
    return { found, cost: work.reduce((sum, count) => sum + count, 0) };
  };
  return { pair, costOf };
}

/** Fifty components that are looked through with pauses; `steps` has the number of each piece of work that paused. */
async function pausing() {
  const steps: number[] = [];
  let works = 0;
  const pair = await Pair.open(() => {
    const number = ++works;
    return () => {
      steps.push(number);
      return new Promise(setImmediate);
    };
  });
  await pair.apply(many().slice(0, 50));
  await pair.catalog.page({ tag: ['t'] });
  steps.length = 0;
  return { pair, steps };
}

describe('a query', () => {
  it('costs what its shortest list has, and gives way to others meanwhile', async () => {
    const { costOf } = await counting();
    expect(await costOf({ tag: ['t'] })).toEqual({ found: 1_000, cost: expect.any(Number) });
    const both = await costOf({ tag: ['t', 'rare'] });
    expect(both.found).toBe(4);
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
    const { pair, costOf } = await counting();
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
    await pair.apply([{ origin, metadata: component('0001', { description: 'odd' }) }]);
    expect(await costOf(words)).toEqual({ found: 2, cost: 3_000 });
  });

  it('for words waits for the one before it, in whatever state of the catalog', async () => {
    const { pair, steps } = await pausing();
    const swap = await pair.catalog.prepare(NO_CATALOG_CHANGE);
    steps.length = 0;
    const before = ['odd', 'even'].map((q) => pair.catalog.page({ q }));
    pair.catalog.show(pair.shown(), swap);
    await Promise.all([...before, pair.catalog.page({ q: 'odd' })]);
    expect(steps).toEqual(steps.toSorted((one, other) => one - other));
    expect(steps).toHaveLength(3 * 50);
  });

  it('for words looks once for a page and its counts, which the home page asks for at once', async () => {
    const { pair, steps } = await pausing();
    const [page, { total }] = await Promise.all([
      pair.catalog.page({ q: 'odd' }, { limit: 20 }),
      pair.catalog.counts({ q: 'odd' }),
    ]);
    expect([(await descriptionsOf(page)).length, total]).toEqual([1, 1]);
    // One more than everything: the match, whose values are counted.
    expect(steps).toHaveLength(50 + 1);
  });
});

it('whatever is long gives way to other work', async () => {
  const { pace, expectPauses } = notedPauses();
  const pair = await Pair.open(pace);
  const { catalog } = pair;
  const edits = many().slice(0, 100);
  for (const work of [
    () => pair.apply(edits),
    () => pair.apply(edits.slice(50).map((one) => ({ ...one, isRemoval: true }))),
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
  const [{ source, document }] = ORIGINS as [Origin];
  const removals = Array.from({ length: count }, (_, i) => ({
    ...{ source, document, uri: component(`${i}`).uri, at: 1_000 },
    get position() {
      looked += 1;
      return i + 1;
    },
  }));
  const pair = await Pair.open(undefined, removals);
  pair.position = count;
  pair.catalog.show(pair.shown());
  // Who is told of no removals looks at no more of them at once, either.
  expect(await pair.catalog.changes({ limit: 1 })).toMatchObject({ changes: [], next: 10_000 });
  looked = 0;
  const answer = await pair.catalog.changes({ after: count - 100, removals: true, limit: 50 });
  if ('unknown' in answer) throw new Error(answer.unknown);
  expect(answer.changes.map(({ uri }) => uri)).toEqual(removals.slice(-100, -50).map(({ uri }) => uri));
  expect(looked).toBeLessThan(1_000);
});

describe('what readers are given', () => {
  it('are lists of some hundred descriptions', async () => {
    const { pair } = await counting();
    for (const query of [{}, { tag: ['t'] }]) {
      const lengths: number[] = [];
      for await (const some of (await pair.catalog.page(query)).descriptions()) lengths.push(some.length);
      const all = query.tag ? 1_000 : 3_000;
      expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(all);
      expect(Math.max(...lengths)).toBeLessThanOrEqual(500);
      expect(Math.min(...lengths.slice(0, -1))).toBeGreaterThanOrEqual(100);
    }
  });

  it('are the same bytes where others ask for the same list', async () => {
    const { pair } = await counting();
    const wholeOf = async (query: Query) => (await pair.catalog.page(query)).json?.whole();
    await wholeOf({ tag: ['t'] });
    const [second, third] = [await wholeOf({ tag: ['t'] }), await wholeOf({ tag: ['t'] })];
    expect(third).toBe(second);
    expect(JSON.parse(String(third))).toHaveLength(1_000);
    expect(await wholeOf({ tag: ['t', 'rare'] })).not.toBe(await wholeOf({ tag: ['t', 'rare'] }));
    await pair.apply([{ origin, metadata: component('new', { tag: ['t'] }) }]);
    expect(await wholeOf({ tag: ['t'] })).not.toEqual(third);
  });

  it('are pieces, of which a change leaves all but its own what they were, and none grows or shrinks for ever', async () => {
    const { pair } = await counting();
    const urisIn = (objects: string | Uint8Array) => {
      const listed: { uri: string }[] = JSON.parse(`[${Buffer.from(objects)}]`);
      return listed.map(({ uri }) => uri);
    };
    const piecesOf = (page: Page) => [...(page.json?.pieces() ?? [])];
    const listing = async () => {
      const page = await pair.catalog.page({});
      const uris = pair.model.said.map(({ metadata }) => metadata.uri).sort(compareText);
      expect(urisIn(bytesOf(page).slice(1, -2))).toEqual(uris);
      const pieces = piecesOf(page);
      const lengths = pieces.slice(1, -1).map(({ length }) => length);
      // But for the last, which has no neighbour to be joined with.
      expect(Math.min(...lengths.slice(0, -1))).toBeGreaterThan(30_000);
      expect(Math.max(...lengths)).toBeLessThan(400_000);
      return pieces;
    };
    let before = await listing();
    expect(before.length).toBeGreaterThan(10);
    const edit = (from: number, to: number, more: Partial<Edit>) =>
      many()
        .slice(from, to)
        .map((one) => ({ ...one, ...more }));
    for (const [edits, changed] of [
      [edit(1_500, 1_501, {}), 1],
      [edit(1_000, 2_000, { isRemoval: true }), 8],
      [edit(1_000, 2_000, {}), 9],
      [edit(0, 1, { isRemoval: true }), 2],
    ] as const) {
      await pair.apply(edits);
      const after = await listing();
      expect(after.filter((piece) => !before.includes(piece)).length).toBeLessThanOrEqual(changed);
      before = after;
    }
    // Nearly all of one piece goes, and nothing of its neighbours.
    const [uris = []] = before.slice(5, 6).map((piece) => urisIn(piece.subarray(1)));
    const gone = new Set(uris.slice(1));
    await pair.apply(
      many().flatMap((one) => (gone.has(one.metadata.uri) ? { ...one, isRemoval: true } : [])),
    );
    before = await listing();
    const tagged = await pair.catalog.page({ tag: ['t'] });
    const some = piecesOf(tagged);
    expect(Buffer.concat(some).toString()).toBe(bytesOf(tagged));
    expect(some.length).toBeGreaterThan(5);
    expect(Math.max(...some.map(({ length }) => length))).toBeLessThan(100_000);
  });

  it('are fewer changes than were asked for where they are long', async () => {
    const pair = await Pair.open();
    const edits = many().slice(0, 40);
    await pair.apply(
      edits.map((one) => ({ ...one, metadata: { ...one.metadata, description: 'x'.repeat(50_000) } })),
    );
    const first = await pair.catalog.changes({ limit: 100 });
    if ('unknown' in first) throw new Error(first.unknown);
    expect(first.changes.length).toBeGreaterThan(0);
    expect(first.changes.length).toBeLessThan(15);
    expect(await pair.changes({ limit: 100 })).toHaveLength(40);
  });
});
