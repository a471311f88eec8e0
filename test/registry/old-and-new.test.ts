import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Metadata } from '../../src/component/metadata.js';
import type { Query } from '../../src/component/query.js';
import { LOCAL, type Source } from '../../src/component/source.js';
import { createVocabulary } from '../../src/component/vocabulary.js';
import { type Cursor, cursorOf } from '../../src/core/cursor.js';
import { afterLook } from '../../src/core/pins.js';
import { precedenceOf } from '../../src/core/precedence.js';
import { StatementHash } from '../../src/core/statement-hash.js';
import { type Clock, systemClock } from '../../src/lib/clock.js';
import type { StatementChange } from '../../src/registry/changes.js';
import { withMetadata } from '../../src/registry/description.js';
import { descriptionsOf } from '../../src/registry/page.js';
import { forgetPins } from '../../src/registry/pins.js';
import type { DocumentChange } from '../../src/registry/source-change.js';
import type { LoadOptions } from '../../src/store/registry-store.js';
import { diskEngine, type Engine, memoryEngine } from '../support/engines.js';
import { keptEngine } from '../support/kept-engine.js';
import { component, type TestRegistry } from '../support/registry.js';
import { rounds } from '../support/torture.js';
import { authority, LEARNED, PEER, POD_A, POD_B } from './sources.js';

/** The engines that are to go, until they are gone: what they answer is what the new one has to answer. */

const SOURCES = [POD_A, POD_B, LEARNED, PEER] as const;
const NAMES = [...'abcdefgh'];
const pick = <T>(...values: readonly T[]) => fc.constantFrom(...values);

const anyMetadata = fc
  .record({
    name: pick(...NAMES),
    label: pick('one', 'two', 'Ärger'),
    version: pick(undefined, '1.0.0', '2.0.0'),
    tag: fc.subarray(['t', 'u']),
    shapes: fc.subarray(['http://s/1', 'http://schema.org/2', 'https://schema.org/2']),
    isCapable: fc.boolean(),
    integrity: pick(undefined, undefined, `sha384-${'A'.repeat(64)}`, `sha384-${'B'.repeat(64)}`),
  })
  .map(({ name, version, isCapable, integrity, ...lists }): Metadata => {
    const given = Object.entries({ version, integrity }).filter(([, value]) => value !== undefined);
    const capability = isCapable ? { capability: [{ action: 'odrl:display' as const }] } : {};
    return component(name, { ...lists, ...Object.fromEntries(given), ...capability });
  });

const someMetadata = fc.array(anyMetadata, { maxLength: 5 });
const someUris = fc.subarray(NAMES).map((names) => names.map((name) => component(name).uri));
const anyRecord = fc.record(
  {
    etag: pick('"1"', '"2"'),
    of: pick('pod https://x.example/', 'local urn:registry:local'),
    authority: pick(authority(0), authority(1), authority(2)),
  },
  { requiredKeys: [] },
);

interface Changing {
  readonly kind: 'commit';
  readonly source: Source;
  readonly documents: readonly (DocumentChange & { readonly url: string })[];
  readonly memo: number;
  readonly isExpected: boolean;
}

const anyDocument = fc.oneof(
  { weight: 4, arbitrary: fc.record({ url: pick('1', '2'), components: someMetadata, record: anyRecord }) },
  {
    weight: 2,
    arbitrary: fc.record({
      url: pick('1', '2'),
      amend: fc.record({ put: someMetadata, remove: someUris }),
      record: fc.record({ etag: pick('"1"', '"3"') }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ url: pick('1', '2'), record: fc.constant(null) }) },
  { weight: 1, arbitrary: fc.record({ url: pick('1', '2'), record: anyRecord }) },
);

const anyStep = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('commit' as const),
      source: pick(...SOURCES),
      documents: fc.array(anyDocument, { maxLength: 3 }),
      memo: fc.nat(3),
      isExpected: fc.boolean(),
    }) as fc.Arbitrary<Changing>,
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('post' as const), put: someMetadata, remove: someUris }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('forget' as const), source: pick(...SOURCES) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('look' as const),
      name: pick(...NAMES),
      bytes: pick('A', 'B', 'C'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('unpin' as const), name: pick(...NAMES) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('network' as const), hops: fc.nat(2) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('restart' as const),
      order: pick([POD_A.url, POD_B.url], [POD_B.url, POD_A.url], [POD_A.url]),
      isElsewhere: pick(false, false, true),
      isTranslated: pick(false, false, true),
    }),
  },
);
type Step = Parameters<Parameters<typeof anyStep.map>[0]>[0];

const QUERIES: readonly Query[] = [
  { tag: ['t'] },
  { shapes: ['http://schema.org/2'], tag: ['u'] },
  { version: '^1.0.0' },
  { trust: 'configured' },
  { q: 'arger' },
  { action: 'odrl:display' },
  { label: 'two', source: LOCAL.url },
];

/** One side of the comparison: an engine, and the registry that is open on it. */
class Side {
  readonly #engine: Engine;
  readonly cursors: Cursor[] = [];
  #options: Partial<LoadOptions>;
  registry: TestRegistry;

  private constructor(engine: Engine, registry: TestRegistry, options: Partial<LoadOptions>) {
    this.#engine = engine;
    this.#options = options;
    this.registry = registry;
  }

  static async open(create: () => Promise<Engine>, clock: Clock): Promise<Side> {
    const engine = await create();
    const options = { clock, precedence: precedenceOf({ pods: [POD_A.url, POD_B.url], peers: [PEER.url] }) };
    return new Side(engine, await engine.open(options), options);
  }

  async happens(step: Step): Promise<unknown> {
    const { registry } = this;
    switch (step.kind) {
      case 'commit': {
        const documents = step.documents.map((one) => ({ ...one, url: `${step.source.url}${one.url}` }));
        const record = { failures: 0, memo: { at: step.memo } };
        const expected = step.isExpected ? { expected: expectedOf(documents as DocumentChange[]) } : {};
        const { source } = step;
        return registry.commit({ source, documents: documents as DocumentChange[], record, ...expected });
      }
      case 'post':
        return registry.commitOwn({ put: step.put, remove: step.remove });
      case 'forget':
        return registry.forget(step.source);
      case 'look':
        return this.#look(step.name, step.bytes);
      case 'unpin':
        return forgetPins(registry.pins, component(step.name).uri);
      case 'network': {
        const entry = { url: 'https://p.example', hops: step.hops, via: [] };
        return registry.setNetwork({ peers: step.hops === 0 ? [] : [entry], storage: [] });
      }
      case 'restart': {
        const { order, isElsewhere, isTranslated } = step;
        const vocabulary = isTranslated ? { vocabulary: createVocabulary('https://other.example/voc#') } : {};
        this.#options = {
          clock: this.#options.clock ?? systemClock,
          precedence: precedenceOf({ pods: order, peers: [PEER.url] }),
          servedAs: order.join(),
          ...(isElsewhere ? { baseUrl: 'https://elsewhere.example' } : {}),
          ...vocabulary,
        };
        return this.reopen();
      }
    }
  }

  async reopen(): Promise<void> {
    await this.registry.close();
    this.registry = await this.#engine.open(this.#options);
  }

  async #look(name: string, letter: string): Promise<void> {
    const [statement] = await this.registry.catalog.statements(component(name).uri);
    if (!statement) return;
    const { uri, version } = statement.metadata;
    const bytes = `sha384-${letter.repeat(64)}`;
    await this.registry.pins.change([{ uri, version }], (_, known) =>
      afterLook(known, { uri, version, statement: withMetadata(statement), bytes, at: 7, validators: {} }),
    );
  }

  /** Everything that readers can see, without the epoch. */
  async seen(): Promise<unknown> {
    const { catalog, registry } = this.registry;
    const state = await catalog.state();
    this.cursors.push(cursorOf(state));
    const { epoch } = state.revision;
    const described = async (query: Query, shadowed: boolean) =>
      (await descriptionsOf(await catalog.page(query, { shadowed }))).map(withMetadata);
    const changes = [];
    for (const cursor of this.cursors) {
      const answer = await catalog.changes({ since: cursor, limit: 1000 });
      if ('unknown' in answer) changes.push(answer);
      else
        changes.push({
          ...answer,
          state: undefined,
          sources: sorted(answer.sources),
          changes: unordered(answer.changes),
        });
    }
    const sources = (await registry.sources()).map(({ source, record, documents }) => ({
      ...{ source, record },
      documents: Object.fromEntries(documents),
    }));
    return JSON.parse(
      JSON.stringify({
        position: state.feed.position,
        digest: state.feed.digest,
        sources: sorted(state.feed.sources),
        tombstones: state.feed.tombstones,
        floor: state.feed.floor,
        components: state.components,
        revisions: [state.revision.number, state.revision.since, state.networkRevision.number],
        everything: await described({}, true),
        queries: await Promise.all(QUERIES.map((query) => described(query, false))),
        counts: Object.fromEntries((await catalog.counts({}, ['shapes', 'source'])).by.shapes),
        network: await catalog.network(),
        stored: sources.sort((one, other) => (one.source.url < other.source.url ? -1 : 1)),
        pins: [await this.registry.pins.list({ limit: 100 }), await this.registry.pins.counts()],
        changes,
      }),
      (key, value) => (key === 'since' && value?.epoch === epoch ? undefined : value),
    );
  }

  async bytes(): Promise<string | undefined> {
    const page = await this.registry.catalog.page({});
    if (!page.json) return undefined;
    const bytes = Buffer.alloc(page.json.bytes);
    page.json.copyTo(bytes);
    return bytes.toString();
  }

  async close(): Promise<void> {
    await this.registry.close();
    await this.#engine.remove();
  }
}

function sorted<T extends { readonly source: Source }>(summaries: readonly T[]): T[] {
  const key = ({ source }: T) => `${source.kind} ${source.url}`;
  return [...summaries].sort((one, other) => (key(one) < key(other) ? -1 : 1));
}

/** Which of the statements of one commit comes first is nobody's business. */
function unordered(changes: readonly StatementChange[]) {
  const key = ({ source, document, uri }: StatementChange) => `${source.url} ${document} ${uri}`;
  return {
    isInOrder: changes.every(({ position }, i) => position > (changes[i - 1]?.position ?? 0)),
    statements: changes
      .toSorted((one, other) => (key(one) < key(other) ? -1 : 1))
      .map((change) => ({ ...change, position: undefined })),
  };
}

/** The digests of what the documents are given in full say; met only where nothing else is said. */
function expectedOf(documents: readonly DocumentChange[]): ReadonlyMap<string, string> {
  const hash = StatementHash.empty();
  for (const { url, components = [] } of documents) for (const one of components) hash.add(url, one);
  return new Map([['', hash.digest()]]);
}

/** What a step comes to: what it has changed, or the name of its failure. */
async function outcomeOf(happening: Promise<unknown>): Promise<unknown> {
  try {
    const outcome = await happening;
    if (typeof outcome !== 'object' || outcome === null || !('examples' in outcome)) return outcome;
    const { examples: _, ...counts } = outcome;
    return counts;
  } catch (error) {
    if (error instanceof Error) return error.name;
    throw error;
  }
}

interface Compared {
  readonly old: () => Promise<Engine>;
  /** Without what the old one counts in its own way. */
  readonly seen: (side: unknown) => unknown;
}

async function compare({ old, seen }: Compared, steps: readonly Step[]): Promise<void> {
  let now = 1_000_000;
  const clock: Clock = { ...systemClock, now: () => now };
  const [one, other] = [await Side.open(old, clock), await Side.open(keptEngine, clock)];
  try {
    for (const step of [...steps, undefined]) {
      now += 700;
      if (step) {
        const outcome = await outcomeOf(one.happens(step));
        expect(await outcomeOf(other.happens(step))).toEqual(outcome);
      } else for (const side of [one, other]) await side.reopen();
      expect(seen(await other.seen())).toEqual(seen(await one.seen()));
      const bytes = await one.bytes();
      if (bytes !== undefined) expect(await other.bytes()).toBe(bytes);
    }
  } finally {
    await one.close();
    await other.close();
  }
}

const RUNS = rounds({ short: 40, full: 2000 });

test(`${RUNS} histories end as with the engine in memory`, { timeout: 300_000 + RUNS * 500 }, async () => {
  const steps = fc.array(anyStep, { maxLength: 25 });
  const compared = { old: memoryEngine, seen: (side: unknown) => side };
  await fc.assert(
    fc.asyncProperty(steps, (some) => compare(compared, some)),
    { numRuns: RUNS },
  );
});

test(`${RUNS} histories end as with the engine on disk`, { timeout: 300_000 + RUNS * 500 }, async () => {
  const steps = fc.array(anyStep, { maxLength: 20 });
  // It tells of pins in commits of their own, and so its revisions move more often.
  const seen = (side: unknown) => {
    const {
      revisions: _,
      changes: _changes,
      position: _at,
      digest: _digest,
      sources: _s,
      ...others
    } = side as Record<string, unknown>;
    // A commit that it refuses leaves a source of which nothing is known.
    const stored = (others.stored as { documents: object; record: object }[]).filter(
      ({ documents, record }) => Object.keys(documents).length + Object.keys(record).length > 1,
    );
    return { ...others, stored };
  };
  await fc.assert(
    fc.asyncProperty(steps, (some) => compare({ old: diskEngine('memory'), seen }, some)),
    { numRuns: RUNS },
  );
});
