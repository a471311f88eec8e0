import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { StatementChange } from '../../src/catalog/catalog.js';
import { withMetadata } from '../../src/catalog/description.js';
import { type Metadata, sameMetadata } from '../../src/component/metadata.js';
import { LOCAL, type Source, sameSource, sourceKey } from '../../src/component/source.js';
import { statementElement } from '../../src/component/statement-digest.js';
import { type Cursor, cursorOf } from '../../src/core/cursor.js';
import type { DocumentChange } from '../../src/core/document-change.js';
import type { DocumentRecord } from '../../src/core/document-record.js';
import { compareStandings, type Precedence, precedenceOf } from '../../src/core/precedence.js';
import { feedDigest } from '../../src/core/source-digests.js';
import type { SourceRecord } from '../../src/core/source-record.js';
import { type Clock, systemClock } from '../../src/lib/clock.js';
import { compareText } from '../../src/lib/compare-text.js';
import { LtHash } from '../../src/lib/lt-hash.js';
import type { SourceChange } from '../../src/registry/difference.js';
import { breakCommits, type Engine } from '../support/engines.js';
import { component, type TestRegistry } from '../support/registry.js';
import { seed } from '../support/torture.js';
import { authority, LEARNED, PEER, POD_A, POD_B } from './sources.js';

const LEARNED_PEER: Source = { kind: 'peer', url: 'https://learned-peer.example' };
const SOURCES = [POD_A, POD_B, LEARNED, PEER, LEARNED_PEER] as const;
/** Readers of the feed, each at its own pace. */
const READERS = 3;
const NAMES = [...'abcdefgh'];
const FEW = 3;
const pick = <T>(...values: readonly T[]) => fc.constantFrom(...values);

const anyMetadata = fc
  .record({
    name: pick(...NAMES),
    label: pick('one', 'two', 'Ärger'),
    tag: fc.subarray(['t', 'u']),
    isCapable: fc.boolean(),
  })
  .map(({ name, isCapable, ...more }): Metadata => {
    const capability = isCapable ? { capability: [{ action: 'odrl:display' as const }] } : {};
    return component(name, { ...more, ...capability });
  });
const someMetadata = fc.array(anyMetadata, { maxLength: 6 });
const someUris = fc.subarray(NAMES).map((names) => names.map((name) => component(name).uri));
const anyRecord = fc.record(
  {
    etag: pick('"1"', '"2"'),
    of: pick('pod https://x.example/', 'local urn:registry:local'),
    authority: pick(authority(0), authority(1), authority(2)),
  },
  { requiredKeys: [] },
);
const url = pick('1', '2', '3');
const anyDocument = fc.oneof(
  { weight: 4, arbitrary: fc.record({ url, components: someMetadata, record: anyRecord }) },
  {
    weight: 3,
    arbitrary: fc.record({
      ...{ url, record: anyRecord },
      amend: fc.record({ put: someMetadata, remove: someUris }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ url, record: fc.constant(null) }) },
  { weight: 1, arbitrary: fc.record({ url, record: anyRecord }) },
);

const step = <K extends string, T extends object>(
  weight: number,
  kind: K,
  fields: { [P in keyof T]: fc.Arbitrary<T[P]> },
) => ({ weight, arbitrary: fc.record<T>(fields).map((rest) => ({ kind, ...rest })) });
const anyStep = fc.oneof(
  step(8, 'commit', {
    source: pick(...SOURCES),
    documents: fc.uniqueArray(anyDocument, { maxLength: 3, selector: (one) => one.url }),
    memo: fc.nat(3),
    expects: pick(undefined, undefined, 'what comes', 'something else'),
  }),
  step(3, 'post', { put: someMetadata, remove: someUris }),
  step(1, 'forget', { source: pick(...SOURCES) }),
  step(1, 'network', { hops: fc.nat(2) }),
  step(3, 'follow', { reader: fc.nat(READERS - 1), limit: fc.integer({ min: 1, max: 4 }) }),
  step(1, 'failure', { how: pick('refused' as const, 'unsettled' as const), put: someMetadata }),
  step(2, 'restart', {
    pods: pick([POD_A.url, POD_B.url], [POD_B.url, POD_A.url], [POD_A.url]),
    baseUrl: pick('http://node.example', 'http://elsewhere.example'),
  }),
);
type Step = Parameters<Parameters<typeof anyStep.map>[0]>[0];

interface Said {
  readonly metadata: Metadata;
  /** Since when it is said in this form, and of this rank. */
  readonly since: number;
}

interface ModelDocument {
  readonly source: Source;
  readonly url: string;
  readonly record: DocumentRecord;
  /** By uri. */
  readonly said: ReadonlyMap<string, Said>;
}

/** The naive model of a registry: the documents of all sources, each changed on its own and looked at whole. */
class Model {
  readonly records = new Map<string, SourceRecord>();
  readonly #documents = new Map<string, ModelDocument>();
  precedence: Precedence = precedenceOf({ pods: [POD_A.url, POD_B.url], peers: [PEER.url] });
  now = 0;

  /** The change as a commit: counts what it changes, or says why it changes nothing. */
  commit({ source, documents, record, expected }: SourceChange): object | string {
    const after = new Map<string, ModelDocument | undefined>();
    const count = { added: 0, changed: 0, removed: 0 };
    for (const one of documents) {
      const before = this.#documents.get(keyOf(source, one.url));
      const isRegrouped = one.record !== null && one.record.of !== before?.record.of;
      if (isRegrouped && !one.components && (before?.said.size ?? 0) > 0) return 'TypeError';
      const said = this.#saidAfter(one, before);
      for (const [uri, now] of said) {
        const then = before?.said.get(uri);
        if (!then) count.added += 1;
        else if (!sameMetadata(then.metadata, now.metadata)) count.changed += 1;
      }
      for (const uri of before?.said.keys() ?? []) if (!said.has(uri)) count.removed += 1;
      after.set(
        keyOf(source, one.url),
        one.record ? { source, url: one.url, record: one.record, said } : undefined,
      );
    }
    const all = new Map([...this.#documents, ...after]);
    for (const [of, digest] of expected ?? []) {
      const some = [...all.values()].filter((one) => one && sameSource(one.source, source));
      const said = some.flatMap((one) => (one && (one.record.of ?? '') === of ? statementsOf(one) : []));
      if ((digestsOf(said).get(sourceKey(source)) ?? LtHash.empty().digest()) !== digest)
        return 'DigestMismatch';
    }
    for (const [key, document] of after)
      document ? this.#documents.set(key, document) : this.#documents.delete(key);
    this.records.set(sourceKey(source), record(this.records.get(sourceKey(source)) ?? { failures: 0 }));
    return count;
  }

  #saidAfter(
    { components, amend, record }: DocumentChange,
    before: ModelDocument | undefined,
  ): Map<string, Said> {
    const isMoved = JSON.stringify(record?.authority) !== JSON.stringify(before?.record.authority);
    const said = new Map<string, Said>();
    const put = (metadata: Metadata) => {
      const then = before?.said.get(metadata.uri);
      const isSame = then && !isMoved && sameMetadata(then.metadata, metadata);
      said.set(metadata.uri, isSame ? then : { metadata, since: this.now });
    };
    if (!components && record) for (const { metadata } of before?.said.values() ?? []) put(metadata);
    for (const uri of amend?.remove ?? []) said.delete(uri);
    // Of several descriptions of one component, the first one counts.
    for (const metadata of [...(components ?? amend?.put ?? [])].reverse()) put(metadata);
    return said;
  }

  forget(source: Source): void {
    for (const [key, document] of this.#documents)
      if (sameSource(document.source, source)) this.#documents.delete(key);
    this.records.delete(sourceKey(source));
  }

  documentsOf(source: Source): ModelDocument[] {
    return [...this.#documents.values()].filter((one) => sameSource(one.source, source));
  }

  /** Everything that is said, in the order of uris and then of precedence. */
  everything() {
    const all = [...this.#documents.values()].flatMap(({ source, url: document, record, said }) => {
      const standing = this.precedence.standing({ source, document, authority: record.authority });
      return [...said.values()].map(({ metadata, since }) => ({ metadata, since, standing }));
    });
    return all.sort(
      (one, other) =>
        compareText(one.metadata.uri, other.metadata.uri) || compareStandings(one.standing, other.standing),
    );
  }

  /** The digest of what each source says, of those that say something. */
  digests(): Map<string, string> {
    return digestsOf([...this.#documents.values()].flatMap(statementsOf));
  }
}

function keyOf(source: Source, document: string): string {
  return `${sourceKey(source)} ${document}`;
}

function statementsOf({ source, url: document, said }: ModelDocument) {
  return [...said.values()].map(({ metadata }) => ({ source, document, metadata }));
}

/** Of each source by its key. */
function digestsOf(
  statements: Iterable<Pick<StatementChange, 'source' | 'document' | 'metadata'>>,
): Map<string, string> {
  const hashes = new Map<string, LtHash>();
  for (const { source, document, metadata } of statements) {
    const hash = hashes.get(sourceKey(source)) ?? LtHash.empty();
    hashes.set(sourceKey(source), hash);
    if (metadata) hash.add(statementElement(document, metadata));
  }
  return new Map([...hashes].map(([key, hash]) => [key, hash.digest()]));
}

/** A copy of a registry that knows nothing but what the feed tells. */
class Follower {
  readonly #statements = new Map<string, StatementChange>();
  #since: Cursor | undefined;

  async follow(registry: TestRegistry, limit = 3): Promise<void> {
    const since = this.#since;
    for (let after: number | undefined, isEnd = false; !isEnd; ) {
      const page = await registry.changes({ since, after, limit });
      for (const change of page.changes) this.#apply(change);
      this.#since = cursorOf(page.state);
      after = page.next;
      isEnd = after === undefined;
    }
    const { feed } = await registry.state();
    expect(digestsOf(this.#statements.values())).toEqual(
      new Map(feed.sources.map(({ source, digest }) => [sourceKey(source), digest])),
    );
  }

  #apply(change: StatementChange): void {
    const key = `${keyOf(change.source, change.document)} ${change.uri}`;
    if (change.metadata) this.#statements.set(key, change);
    else this.#statements.delete(key);
  }
}

/** A registry and its model, to which the same happens. */
class Pair {
  readonly #model = new Model();
  readonly #readers = Array.from({ length: READERS }, () => new Follower());
  readonly #clock: Clock = { ...systemClock, now: () => this.#model.now };
  #options: NonNullable<Parameters<Engine['open']>[0]>;
  #registry: TestRegistry | undefined;

  constructor(
    readonly engine: Engine,
    /** Statements that one commit changes. */
    mostAtOnce: number,
  ) {
    const order = { pods: [POD_A.url, POD_B.url], peers: [PEER.url] };
    this.#options = { clock: this.#clock, mostAtOnce, order };
  }

  async open(): Promise<void> {
    await this.#registry?.close();
    this.#registry = await this.engine.open(this.#options);
  }

  async close(): Promise<void> {
    await this.#registry?.close();
  }

  get #open(): TestRegistry {
    if (!this.#registry) throw new Error('The registry has not been opened');
    return this.#registry;
  }

  async happens(step: Step): Promise<void> {
    this.#model.now += 700;
    if (step.kind === 'commit') {
      const change = this.#changeOf(step);
      expect(await outcomeOf(this.#open.registry.commit(change))).toEqual(this.#model.commit(change));
    } else if (step.kind === 'post') {
      expect(await outcomeOf(this.#open.commitOwn(step))).toEqual(this.#model.commit(posted(step)));
    } else if (step.kind === 'failure') await this.#fails(step);
    else if (step.kind === 'follow') await this.#readers[step.reader]?.follow(this.#open, step.limit);
    else if (step.kind === 'forget') {
      await this.#open.forget(step.source);
      this.#model.forget(step.source);
    } else if (step.kind === 'network') {
      const peers = step.hops === 0 ? [] : [{ url: 'https://p.example', hops: step.hops, via: [] }];
      await this.#open.setNetwork({ peers, storage: [] });
    } else {
      const { pods, baseUrl } = step;
      this.#options = { ...this.#options, baseUrl, order: { pods, peers: [PEER.url] } };
      this.#model.precedence = precedenceOf({ pods, peers: [PEER.url] });
      await this.open();
    }
  }

  #changeOf({ source, documents, memo, expects }: Step & { kind: 'commit' }): SourceChange {
    const named = documents.map((one) => ({ ...one, url: source.url + one.url })) as DocumentChange[];
    const hash = LtHash.empty();
    for (const { url: document, components = [] } of named)
      for (const one of new Map(components.toReversed().map((each) => [each.uri, each])).values())
        hash.add(statementElement(document, one));
    if (expects === 'something else') hash.add(statementElement('elsewhere', component('a')));
    const expected = expects ? { expected: new Map([['', hash.digest()]]) } : {};
    return { source, documents: named, record: () => ({ failures: 0, memo: { at: memo } }), ...expected };
  }

  /** The keep fails in a commit: before it, or so that nobody knows. */
  async #fails({ how, put }: Step & { kind: 'failure' }): Promise<void> {
    if (put.length === 0) return;
    const repair = breakCommits(this.#open, how);
    await expect(this.#open.commitOwn({ put })).rejects.toThrow();
    repair();
    if (how === 'unsettled') this.#model.commit(posted({ put }));
    await this.open();
  }

  /** Is everything that readers can see what the model says? */
  async compare(): Promise<void> {
    const { catalog, registry } = this.#open;
    const wanted = this.#model.everything().map(({ standing, ...said }) => ({ ...standing, ...said }));
    expect((await this.#open.everything()).map(withMetadata)).toEqual(wanted);
    const { feed, networkRevision, components } = await catalog.state();
    expect(components).toBe(new Set(wanted.map(({ metadata }) => metadata.uri)).size);
    expect(new Map(feed.sources.map(({ source, digest }) => [sourceKey(source), digest]))).toEqual(
      this.#model.digests(),
    );
    expect(feed.digest).toBe(feedDigest(feed.sources, networkRevision.number));
    const stored = await registry.sources();
    expect(new Map(stored.map(({ source, record }) => [sourceKey(source), record]))).toEqual(
      this.#model.records,
    );
    for (const { source, documents } of stored)
      expect(Object.fromEntries(documents)).toEqual(
        Object.fromEntries(
          this.#model
            .documentsOf(source)
            .map(({ url: name, record, said }) => [name, { ...record, components: said.size }]),
        ),
      );
  }

  /** Whoever applies the changes since any former state has what is stored now. */
  async compareReaders(): Promise<void> {
    for (const reader of this.#readers) await reader.follow(this.#open);
  }

  /** A start moves nothing, and readers are told the same as before. */
  async compareAfterRestart(): Promise<void> {
    const told = async () => {
      const { feed, ...state } = await this.#open.state();
      const { changes } = await this.#open.changes({ removals: true });
      // In which order sources are held is nobody's business.
      const sources = new Map(feed.sources.map((one) => [sourceKey(one.source), one]));
      const { json } = await this.#open.catalog.page({});
      return { ...state, feed: { ...feed, sources }, changes, bytes: String(json?.whole()) };
    };
    const before = await told();
    await this.open();
    expect(await told()).toEqual(before);
  }
}

function posted(amend: {
  readonly put: readonly Metadata[];
  readonly remove?: readonly string[];
}): SourceChange {
  const documents = [{ url: LOCAL.url, amend, record: {} }];
  return { source: LOCAL, documents, record: (before) => before };
}

/** What a commit has changed, or the name of its failure. */
async function outcomeOf(commit: ReturnType<TestRegistry['registry']['commit']>): Promise<object | string> {
  try {
    const { added, changed, removed } = await commit;
    return { added, changed, removed };
  } catch (error) {
    if (error instanceof Error) return error.name;
    throw error;
  }
}

/** What may happen to a registry, in commits as they come or in commits of a few statements. */
const anyHistory = fc.record({
  steps: fc.array(anyStep, { maxLength: 20 }),
  mostAtOnce: pick(FEW, 10_000),
});

/** Lets random histories happen to registries and to their models, and compares them after each step. */
export function historyContract(name: string, createEngine: () => Promise<Engine>, numRuns: number): void {
  const timeout = 60_000 + numRuns * 500;
  it(`${numRuns} histories of a registry: ${name} end as the model says (seed ${seed})`, { timeout }, () =>
    fc.assert(
      fc.asyncProperty(anyHistory, async ({ steps, mostAtOnce }) => {
        const engine = await createEngine();
        const pair = new Pair(engine, mostAtOnce);
        try {
          await pair.open();
          for (const step of steps) {
            await pair.happens(step);
            await pair.compare();
          }
          await pair.compareReaders();
          await pair.compareAfterRestart();
          await pair.compare();
        } finally {
          await pair.close();
          await engine.remove();
        }
      }),
      { numRuns, seed },
    ),
  );
}
