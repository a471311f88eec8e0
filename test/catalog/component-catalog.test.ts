import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Changes, descriptionsOf, type Page } from '../../src/catalog/catalog.js';
import { NO_CATALOG_CHANGE } from '../../src/catalog/catalog-change.js';
import { CatalogLoader } from '../../src/catalog/catalog-loader.js';
import { type Origin, originOf } from '../../src/catalog/entry.js';
import type { Query } from '../../src/component/query.js';
import { cursorOf } from '../../src/core/cursor.js';
import { grouped } from '../../src/lib/grouped.js';
import { systemPace } from '../../src/lib/pace.js';
import { POD_A, precedence } from '../registry/sources.js';
import { component, NAMING } from '../support/registry.js';
import {
  anyHistory,
  bytesOf,
  type Edit,
  expected,
  feedAt,
  ORIGINS,
  objectOf,
  Pair,
  type Said,
  told,
} from './pair.js';

/** Asks both the same, as a whole and in pages. @returns the page, and its bytes */
async function compared({ catalog, model }: Pair, query: Query, limit: number) {
  const matching = model.matching(query);
  const page = await catalog.page(query);
  expect((await descriptionsOf(page)).map(told)).toEqual(matching.map(([first]) => expected(first as Said)));
  const bytes = `${model.json(matching)}\n`;
  expect(bytesOf(page)).toBe(bytes);
  const paged: unknown[] = [];
  for (let after: string | undefined, pages = 0; pages <= 20; pages++) {
    const part = await catalog.page(query, { limit, after, shadowed: pages % 2 === 0 });
    const some = await descriptionsOf(part);
    // No page leads to an empty one.
    if (pages > 0) expect(some).not.toEqual([]);
    paged.push(...some.map(told));
    after = part.next;
    if (after === undefined) break;
  }
  const parts = matching.map((all, i) => (Math.floor(i / limit) % 2 === 0 ? all : all.slice(0, 1)));
  expect(paged).toEqual(parts.flat().map(expected));
  const [first, ...rest] = matching.map(([served]) => expected(served as Said));
  const behind = await catalog.page(query, { after: first?.metadata.uri ?? '' });
  expect((await descriptionsOf(behind)).map(told)).toEqual(rest);
  for (const most of [undefined, matching.length, matching.length - 1]) {
    const { total, by } = await catalog.counts(query, most);
    const isTooMany = most !== undefined && most < matching.length && Object.keys(query).length > 0;
    expect({ total, by }).toEqual({ total: matching.length, by: model.counts(isTooMany ? [] : matching) });
  }
  return { page, bytes };
}

describe('the catalog answers as an array that is filtered', () => {
  it('pages, searches, counts, shadowed statements and bytes, and keeps what readers began with', async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, async (history) => {
        const both = await Pair.open();
        const pages: { page: Page; bytes: string }[] = [];
        const listings: { page: Page; everything: unknown[] }[] = [];
        for (const { edits, queries, limit } of history) {
          await both.apply(edits);
          for (const query of queries) pages.push(await compared(both, query, limit));
          const everything = both.model.components().flat().map(expected);
          listings.push({ page: await both.catalog.page({}, { shadowed: true }), everything });
        }
        for (const { page, bytes } of pages) expect(bytesOf(page)).toBe(bytes);
        for (const { page, everything } of listings) {
          expect((await descriptionsOf(page)).map(told)).toEqual(everything);
          expect(page.json).toBeUndefined();
        }
      }),
      { numRuns: 25 },
    );
  });

  it('statements of a component and of a document, and changes since each state', async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, fc.nat(6), async (history, portion) => {
        const pair = await Pair.open();
        const { catalog, model } = pair;
        const states = [await catalog.state()];
        for (const { edits } of history) {
          await pair.apply(edits);
          states.push(await catalog.state());
        }
        for (const name of 'abcdefghijklmnop') {
          const { uri } = component(name);
          const statements = await catalog.statements(uri);
          expect(statements.map(told)).toEqual(model.statements(uri).map(expected));
          expect(statements.map(({ json }) => String(json))).toEqual(model.statements(uri).map(objectOf));
          expect(await catalog.removals(uri)).toEqual(model.removed.filter((gone) => gone.uri === uri));
        }
        const said = model.components().flat();
        for (const origin of ORIGINS) {
          const { source, document } = origin;
          const inDocument = said.filter((one) => one.origin === origin);
          expect((await catalog.said(source, document)).map(told)).toEqual(inDocument.map(expected));
        }
        const served = grouped(model.components(), ([first]) => first?.origin.sourceKey ?? '');
        expect(await catalog.served()).toEqual(
          new Map([...served].map(([key, { length }]) => [key, length])),
        );
        const { by } = await catalog.counts({});
        expect(by).toEqual(model.counts(model.components()));
        const { components, feed } = await catalog.state();
        expect([components, feed.tombstones]).toEqual([model.components().length, model.removed.length]);
        for (const state of states) {
          const since = cursorOf(state);
          const later = model.changes().filter(({ position }) => position > since.position);
          expect(await pair.changes({ since, limit: portion + 1 })).toEqual(later);
          expect(catalog.removalsUntil(since.position)).toEqual(
            model.removed.filter(({ position }) => position <= since.position),
          );
        }
        const all = model.changes();
        expect(await pair.changes({ removals: true, limit: portion + 1 })).toEqual(all);
        const stored = all.filter((one) => 'metadata' in one);
        expect(await pair.changes({ limit: portion + 1 })).toEqual(stored);
      }),
      { numRuns: 40 },
    );
  });

  it('after a start, what is asked and changed while its index is being made', async () => {
    const shown = (page: Page) => descriptionsOf(page).then((all) => all.map(told));
    await fc.assert(
      fc.asyncProperty(anyHistory, fc.boolean(), async (history, isLate) => {
        const filled = await Pair.open();
        for (const { edits } of history) await filled.apply(edits);
        const started = await Pair.open();
        const breathe = systemPace();
        const loader = new CatalogLoader(NAMING, systemPace);
        const said = filled.model.components().flat();
        for (const one of isLate ? said.reverse() : said) loader.add(one);
        const contents = await loader.end(filled.model.removed.toReversed(), breathe);
        started.catalog.show(filled.shown(), () => contents);
        const change = { ...NO_CATALOG_CHANGE, said: said.slice(0, 1).map((one) => ({ ...one, seal: 1 })) };
        const query = history[0]?.queries[0] ?? {};
        const [counts, page, changed, changes] = await Promise.all([
          started.catalog.counts(query),
          started.catalog.page(query),
          started.catalog.prepare(change),
          started.catalog.changes({ limit: 1000, removals: true }),
        ]);
        expect(counts.by).toEqual((await filled.catalog.counts(query)).by);
        const saidIn = ({ catalog }: Pair) => ORIGINS.map((origin) => catalog.sayings(origin).said.map(told));
        expect(saidIn(started)).toEqual(saidIn(filled));
        const { position } = filled;
        expect(started.catalog.removalsUntil(position)).toEqual(filled.catalog.removalsUntil(position));
        started.catalog.show(filled.shown(), changed);
        const expectedPage = await shown(await filled.catalog.page(query));
        expect(await shown(page)).toEqual(expectedPage);
        expect(await shown(await started.catalog.page(query))).toEqual(expectedPage);
        expect(changes).toMatchObject({
          changes: ((await filled.catalog.changes({ limit: 1000, removals: true })) as Changes).changes,
        });
      }),
      { numRuns: 40 },
    );
  });

  it('tells the latest hundred removals of a component', async () => {
    const pair = await Pair.open();
    const documents = Array.from({ length: 105 }, (_, i) => `${POD_A.url}${i}`);
    const origins = documents.map((document) => originOf({ source: POD_A, document }, precedence));
    for (const isRemoval of [false, true])
      await pair.apply(origins.map((origin) => ({ origin, metadata: component('a'), isRemoval })));
    const told = await pair.catalog.removals(component('a').uri);
    expect(told.map(({ document }) => document)).toEqual(documents.slice(5));
  });

  it('tells the removals of the state in which it is asked, whatever comes meanwhile', async () => {
    const pair = await Pair.open();
    const metadata = component('a');
    const apply = (origins: readonly Origin[], isRemoval: boolean) =>
      pair.apply(origins.map((origin) => ({ origin, metadata, isRemoval })));
    for (const isRemoval of [false, true]) await apply(ORIGINS.slice(0, 2), isRemoval);
    const before = pair.model.removed;
    const asked = pair.catalog.removals(metadata.uri);
    for (const isRemoval of [false, true]) await apply(ORIGINS.slice(0, 1), isRemoval);
    expect(await asked).toEqual(before);
    expect(pair.model.removed).not.toEqual(before);
  });

  it('tells each state to those who watch, and takes in what others have written for who knows of it', async () => {
    const pair = await Pair.open();
    const { catalog } = pair;
    const shown = pair.shown();
    const states: unknown[] = [];
    const unwatch = catalog.watch((state) => states.push(state));
    let caughtUp = 0;
    catalog.catchUp = async () => {
      caughtUp += 1;
      catalog.show({ ...shown, feed: feedAt(caughtUp) });
    };
    for (const known of [undefined, { epoch: 'e', position: 0 }, { epoch: 'other', position: 5 }])
      await catalog.state(known);
    expect(caughtUp).toBe(0);
    const state = await catalog.state({ epoch: 'e', position: 1 });
    expect([caughtUp, state.feed.position, states]).toEqual([1, 1, [state]]);
    unwatch();
    await catalog.state({ epoch: 'e', position: 2 });
    expect(states).toHaveLength(1);
  });

  it('forgets removals and states that are told no longer', async () => {
    const pair = await Pair.open();
    const [origin] = ORIGINS as [Origin];
    const edit = (name: string, isRemoval: boolean): Edit => ({
      origin,
      metadata: component(name, { tag: [name] }),
      isRemoval,
    });
    await pair.apply([edit('a', false), edit('b', false)]);
    await pair.apply([edit('a', true)]);
    await pair.apply([edit('b', true)]);
    const { catalog, model } = pair;
    // Nothing is left of their values.
    expect((await catalog.counts({})).by.tag).toEqual(new Map());
    const [first] = model.removed;
    if (!first) throw new Error('nothing was removed');
    const early = { epoch: 'e', position: 2, digest: feedAt(2).digest.slice(0, 8) };
    expect(await catalog.changes({ since: early, limit: 9 })).toMatchObject({ changes: [{}, {}] });
    // Whoever is not told of removals is told as much as it asks for all the same.
    expect(await catalog.changes({ limit: 1 })).not.toHaveProperty('next');
    const pieces = async () => [...((await catalog.page({})).json?.pieces() ?? [])];
    await pair.apply([edit('c', false)]);
    const before = await pieces();
    const changed = await catalog.prepare({ ...NO_CATALOG_CHANGE, forgotten: [first] });
    catalog.show(pair.shown(first.position), changed);
    expect((await pieces())[1]).toBe(before[1]);
    expect((await catalog.state()).feed.tombstones).toBe(1);
    expect(await catalog.changes({ since: early, limit: 9 })).toEqual({ unknown: 'expired' });
    await pair.apply([edit('b', false)]);
    expect((await catalog.state()).feed.tombstones).toBe(0);
  });
});
