import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Changes, descriptionsOf, type Page } from '../../src/catalog/catalog.js';
import { NO_CATALOG_CHANGE } from '../../src/catalog/catalog-change.js';
import { CatalogLoader } from '../../src/catalog/catalog-loader.js';
import { ComponentCatalog } from '../../src/catalog/component-catalog.js';
import type { Description } from '../../src/catalog/description.js';
import type { Removal } from '../../src/catalog/documents.js';
import { type Origin, originOf, type Said as Told } from '../../src/catalog/entry.js';
import { RememberedStates, type StateBlock } from '../../src/catalog/remembered-states.js';
import { indexedValues } from '../../src/component/canonical-shape.js';
import type { Invocation } from '../../src/component/capability.js';
import type { Metadata } from '../../src/component/metadata.js';
import { compileQuery, type Query, resolveQuery } from '../../src/component/query.js';
import { LOCAL, sourceKey } from '../../src/component/source.js';
import { pinText, sinceText, sourceText } from '../../src/component/writing/attribution.js';
import { listingText, servedText } from '../../src/component/writing/listing-text.js';
import { cursorOf } from '../../src/core/cursor.js';
import { NO_NETWORK } from '../../src/core/network-lists.js';
import { compareStandings } from '../../src/core/precedence.js';
import { compareText } from '../../src/lib/compare-text.js';
import { type Pace, systemPace } from '../../src/lib/pace.js';
import { LEARNED, PEER, POD_A, precedence } from '../registry/sources.js';
import { candidateOf } from '../support/candidate.js';
import { BASE_URL, component, VOCABULARY } from '../support/registry.js';

const NAMING = { baseUrl: BASE_URL, vocabulary: VOCABULARY };
const ORIGINS = [
  { source: POD_A, document: `${POD_A.url}doc` },
  { source: POD_A, document: `${POD_A.url}other` },
  { source: LEARNED, document: LEARNED.url },
  { source: PEER, document: `${PEER.url}/doc` },
  { source: LOCAL, document: LOCAL.url },
].map((statement) => originOf(statement, precedence));

/** What the catalog is told, with the metadata that the model filters. */
type Said = Told & { readonly metadata: Metadata };

/** The naive model: an array of what is said, filtered and sorted for each question. */
class Model {
  said: readonly Said[] = [];
  removed: readonly Removal[] = [];

  apply(said: readonly Said[], removed: readonly Removal[]): void {
    const named = [
      ...said.map(({ origin, metadata }) => `${origin.key} ${metadata.uri}`),
      ...removed.map(({ source, document, uri }) => `${sourceKey(source)} ${document} ${uri}`),
    ];
    const stays = (key: string) => !named.includes(key);
    this.said = [
      ...this.said.filter(({ origin, metadata }) => stays(`${origin.key} ${metadata.uri}`)),
      ...said,
    ];
    this.removed = [
      ...this.removed.filter(({ source, document, uri }) => stays(`${sourceKey(source)} ${document} ${uri}`)),
      ...removed,
    ];
  }

  /** All that is said of each component, by precedence; the components in the order of uris. */
  components(): Said[][] {
    const uris = [...new Set(this.said.map(({ metadata }) => metadata.uri))].sort(compareText);
    return uris.map((uri) => this.statements(uri));
  }

  statements(uri: string): Said[] {
    const about = this.said.filter(({ metadata }) => metadata.uri === uri);
    return about.sort((one, other) => compareStandings(one.origin.standing, other.origin.standing));
  }

  matching(asked: Query): Said[][] {
    const all = this.components();
    const isRendered = (shape: string) =>
      all.some(([served]) => served && indexedValues(served.metadata, 'shapes').includes(shape));
    const matches = compileQuery(resolveQuery(asked, isRendered));
    return all.filter(([served]) => served && matches(candidateOf(served.metadata, served.origin.standing)));
  }

  json(matching: readonly Said[][]): string {
    return `[${matching.map(([served]) => (served ? objectOf(served) : '')).join()}]`;
  }
}

function objectOf({ metadata, origin, pin, stamp }: Said): string {
  const members = pinText(pin) + sourceText(origin.standing) + sinceText(stamp.since ?? stamp.at);
  return servedText(listingText(metadata, VOCABULARY), BASE_URL, members);
}

const pick = <T>(...values: T[]) => fc.constantFrom(...values);
const SHAPES = ['http://s/1', 'http://schema.org/Person', 'https://schema.org/Person'];

const anyCapability = fc.record(
  {
    action: pick('odrl:display' as const, 'odrl:modify' as const),
    accept: pick(['text/turtle'], ['text/html', 'text/turtle']),
    invocation: pick<Invocation[]>(
      [{ type: 'ac:UriTemplateInvocation', template: '#' }],
      [{ type: 'FragmentInvocation', fragment: '', module: [] }],
    ),
  },
  { requiredKeys: [] },
);

const anyMetadata = fc
  .record({
    name: pick(...'abcdefghijklmnop'),
    label: pick('one', 'two', 'Ärger'),
    version: pick(undefined, '1.0.0', '1.2.0', '2.0.0-beta.1'),
    latest: pick(undefined, true, false),
    tag: fc.subarray(['t', 'u', 'v']),
    author: fc.subarray(['Ann', 'Bob']),
    shapes: fc.subarray(SHAPES),
    capability: fc.array(anyCapability, { maxLength: 2 }),
    // Large enough that a dozen components need several runs.
    padding: pick(0, 10, 40_000),
  })
  .map(({ name, label, version, latest, padding, capability, ...lists }): Metadata => {
    const description = padding === 0 ? undefined : 'é'.repeat(padding / 2);
    const single = {
      label,
      version,
      latest,
      description,
      capability: capability.length > 0 ? capability : undefined,
    };
    const given = Object.fromEntries(Object.entries(single).filter(([, value]) => value !== undefined));
    return component(name, { ...lists, ...given });
  });

const anyEdit = fc.record({
  origin: pick(...ORIGINS),
  metadata: anyMetadata,
  isRemoval: fc.integer({ max: 3, min: 0 }).map((n) => n === 0),
  pin: pick(undefined, undefined, { integrity: 'sha384-a' }, { integrity: 'sha384-a', changed: 'sha384-ü' }),
});

const anyStep = fc.uniqueArray(anyEdit, {
  selector: ({ origin, metadata }) => `${origin.key} ${metadata.uri}`,
  maxLength: 12,
});

const anyQuery: fc.Arbitrary<Query> = fc.oneof(
  fc.constant({}),
  fc.record(
    {
      uri: pick(component('a').uri, component('z').uri),
      label: pick('one', 'none'),
      version: pick('^1.0.0', '1.2.0', '*', 'latest', '>=2.0.0-alpha'),
      latest: fc.boolean(),
      tag: fc.subarray(['t', 'u', 'w']),
      author: fc.subarray(['Ann', 'Bob']),
      shapes: fc.subarray(SHAPES),
      source: pick(POD_A.url, LOCAL.url),
      trust: pick('own', 'configured', 'learned'),
      action: pick('odrl:display', 'odrl:modify'),
      accept: pick('text/turtle', 'text/html'),
      invocation: pick('ac:UriTemplateInvocation', 'FragmentInvocation', 'none'),
      q: pick('arger', 'one', 'ann one', 'schema:Person', 'nothing', ' '),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<Query>,
);

const anyHistory = fc.array(
  fc.record({ edits: anyStep, query: anyQuery, limit: fc.integer({ min: 1, max: 5 }) }),
  { minLength: 1, maxLength: 8 },
);

function feedAt(position: number, floor = 0) {
  return { position, digest: position.toString(16).padStart(32, '7'), floor, sources: [] };
}

/** A catalog and its model, changed together. */
class Pair {
  readonly model = new Model();
  catalog!: ComponentCatalog;
  readonly states = new RememberedStates();
  position = 0;

  static async open(pace: Pace = systemPace): Promise<Pair> {
    const pair = new Pair();
    const nothing = await new CatalogLoader(NAMING, pace).end([], pace());
    pair.catalog = new ComponentCatalog(nothing, pace, pair.shown());
    return pair;
  }

  shown(floor = 0) {
    const { position, states } = this;
    const revision = { epoch: 'e', number: position, since: 0 };
    const feed = feedAt(position, floor);
    states.apply(new Map<number, StateBlock>([states.with(feed)]));
    return { revision, networkRevision: revision, feed, network: NO_NETWORK, states };
  }

  async apply(
    edits: readonly { origin: Origin; metadata: Metadata; isRemoval: boolean; pin?: Said['pin'] }[],
  ) {
    const said: Said[] = [];
    const removed: Removal[] = [];
    for (const { origin, metadata, isRemoval, pin } of edits) {
      this.position += 1;
      const { position } = this;
      const stamp = { at: 1000 * position, isUpdate: position % 2 === 0 };
      if (!isRemoval)
        said.push({
          origin,
          metadata,
          listed: listingText(metadata, VOCABULARY),
          position,
          stamp,
          seal: 0,
          pin,
        });
      else removed.push({ ...origin, position, at: stamp.at, uri: metadata.uri });
    }
    const changed = await this.catalog.prepare({ said, removed, forgotten: [] });
    this.catalog.show(this.shown(), changed);
    this.model.apply(said, removed);
  }
}

const told = ({ metadata, source, document, trust, since, pin }: Description) => ({
  ...{ metadata, source, document, trust, since, pin },
});
const expected = ({ metadata, origin, stamp, pin }: Said) => {
  const { source, document, trust } = origin.standing;
  return { metadata, source, document, trust, since: stamp.since ?? stamp.at, pin };
};

function bytesOf({ json }: Page): string {
  if (!json) throw new Error('the page has no bytes');
  // The second and third time it may be kept as one piece.
  const [whole, ...again] = [json.whole(), json.whole(), json.whole(), Buffer.concat([...json.pieces()])].map(
    (one) => Buffer.from(one),
  );
  expect(again.every((bytes) => whole?.equals(bytes))).toBe(true);
  expect(whole?.length).toBe(json.bytes);
  return String(whole);
}

describe('the catalog answers as an array that is filtered', () => {
  it('pages, searches, counts, shadowed statements and bytes, and keeps what readers began with', async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, async (history) => {
        const both = await Pair.open();
        const began: { page: Page; bytes: string; all: Page; everything: unknown[] }[] = [];
        for (const { edits, query, limit } of history) {
          await both.apply(edits);
          const matching = both.model.matching(query);
          const served = matching.map(([first]) => expected(first as Said));
          const page = await both.catalog.page(query);
          expect((await descriptionsOf(page)).map(told)).toEqual(served);
          const bytes = both.model.json(matching);
          expect(bytesOf(page)).toBe(`${bytes}\n`);
          const paged: unknown[] = [];
          for (let after: string | undefined, pages = 0; pages <= 20; pages++) {
            const part = await both.catalog.page(query, { limit, after, shadowed: pages % 2 === 0 });
            paged.push(...(await descriptionsOf(part)).map(told));
            after = part.next;
            if (after === undefined) break;
          }
          const parts = matching.map((all, i) => (Math.floor(i / limit) % 2 === 0 ? all : all.slice(0, 1)));
          expect(paged).toEqual(parts.flat().map(expected));
          const counts = await both.catalog.counts(query, ['tag']);
          expect(counts.total).toBe(matching.length);
          const tags = matching.flatMap(([first]) => first?.metadata.tag ?? []);
          for (const tag of ['t', 'u', 'v'])
            expect(counts.by.tag.get(tag) ?? 0).toBe(tags.filter((one) => one === tag).length);
          const everything = both.model.components().flat().map(expected);
          began.push({ page, bytes, all: await both.catalog.page({}, { shadowed: true }), everything });
        }
        for (const { page, bytes, all, everything } of began) {
          expect(bytesOf(page)).toBe(`${bytes}\n`);
          expect((await descriptionsOf(all)).map(told)).toEqual(everything);
        }
      }),
      { numRuns: 40 },
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
        }
        for (const origin of ORIGINS) {
          const descriptions = await catalog.said(origin.source, origin.document);
          const said = model.said.filter((one) => one.origin === origin);
          const uris = said.map(({ metadata }) => metadata.uri).sort(compareText);
          expect(descriptions.map(({ metadata }) => metadata.uri)).toEqual(uris);
        }
        for (const state of states) {
          const since = cursorOf(state);
          const positions: number[] = [];
          for (let after: number | undefined = since.position; after !== undefined; ) {
            const answer = await catalog.changes({ since, after, limit: portion + 1 });
            if ('unknown' in answer) throw new Error(answer.unknown);
            positions.push(...answer.changes.map(({ position }) => position));
            after = answer.next;
          }
          const later = [...model.said, ...model.removed].map(({ position }) => position);
          const asked = later.filter((position) => position > since.position);
          expect(positions).toEqual(asked.sort((one, other) => one - other));
        }
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
        const contents = await loader.end(filled.model.removed, breathe);
        started.catalog.show(filled.shown(), () => contents);
        const change = { ...NO_CATALOG_CHANGE, said: said.slice(0, 1).map((one) => ({ ...one, seal: 1 })) };
        const [{ query }] = history as [(typeof history)[number]];
        const [page, changed, changes] = await Promise.all([
          started.catalog.page(query),
          started.catalog.prepare(change),
          started.catalog.changes({ limit: 1000, removals: true }),
        ]);
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

  it('queries that several long lists answer together, and gives way to others meanwhile', async () => {
    let pauses = 0;
    const pace = () => () => {
      pauses += 1;
      return undefined;
    };
    const pair = await Pair.open(pace);
    const [origin] = ORIGINS as [Origin];
    const edits = Array.from({ length: 300 }, (_, i) => ({
      ...{ origin, isRemoval: false },
      metadata: component(`n${i}`, { tag: i % 2 === 0 ? ['t'] : [], author: i % 3 === 0 ? ['Ann'] : [] }),
    }));
    await pair.apply(edits);
    pauses = 0;
    const page = await pair.catalog.page({ tag: ['t'], author: ['Ann'] });
    expect((await descriptionsOf(page)).length).toBe(50);
    expect(pauses).toBeGreaterThanOrEqual(100);
  });

  it('forgets removals and states that are told no longer', async () => {
    const pair = await Pair.open();
    const [origin] = ORIGINS as [Origin];
    const edit = (name: string, isRemoval: boolean) => ({ origin, metadata: component(name), isRemoval });
    await pair.apply([edit('a', false), edit('b', false)]);
    await pair.apply([edit('a', true)]);
    await pair.apply([edit('b', true)]);
    const { catalog, model } = pair;
    const [first] = model.removed;
    if (!first) throw new Error('nothing was removed');
    const early = { epoch: 'e', position: 2, digest: feedAt(2).digest.slice(0, 8) };
    expect(await catalog.changes({ since: early, limit: 9 })).toMatchObject({ changes: [{}, {}] });
    const changed = await catalog.prepare({ ...NO_CATALOG_CHANGE, forgotten: [first] });
    catalog.show(pair.shown(first.position), changed);
    expect((await catalog.state()).feed.tombstones).toBe(1);
    expect(await catalog.changes({ since: early, limit: 9 })).toEqual({ unknown: 'expired' });
    await pair.apply([edit('b', false)]);
    expect((await catalog.state()).feed.tombstones).toBe(0);
  });
});
