import type { Quad } from '@rdfjs/types';
import fc from 'fast-check';
import { DataFactory } from 'n3';
import { expect, it } from 'vitest';
import type { State, StatementChange } from '../../src/catalog/catalog.js';
import type { Metadata } from '../../src/component/metadata.js';
import { pinKey } from '../../src/component/pin.js';
import { takenFrom } from '../../src/component/provenance.js';
import { LOCAL, SAMPLES, type Source, sourceKey } from '../../src/component/source.js';
import { storedQuads } from '../../src/component/writing/metadata-quads.js';
import { type Cursor, cursorOf } from '../../src/core/cursor.js';
import type { DocumentChange } from '../../src/core/document-change.js';
import { REMOVALS_REMEMBERED } from '../../src/core/feed-window.js';
import type { StoredPin } from '../../src/core/pins.js';
import { precedenceOf } from '../../src/core/precedence.js';
import { feedDigest } from '../../src/core/source-digests.js';
import type { SourceRecord } from '../../src/core/source-record.js';
import type { Keep } from '../../src/keep/keep.js';
import { systemClock } from '../../src/lib/clock.js';
import { compareText } from '../../src/lib/compare-text.js';
import { OutcomeUnknown, StorageFailure } from '../../src/lib/faults.js';
import type { SourceChange } from '../../src/registry/difference.js';
import { forgetPins } from '../../src/registry/pins.js';
import { graphName } from '../../src/registry/row-keys.js';
import type { KeepEngine } from '../keep/contract.js';
import { aroundCommits } from '../support/commits.js';
import {
  BASE_URL,
  component,
  openRegistry,
  type TestOptions,
  type TestRegistry,
} from '../support/registry.js';
import { seed } from '../support/torture.js';
import { anyQuestion, INTEGRITY, longNames, PINNED, pick, someMetadata, someUris } from './any-metadata.js';
import { digestsOf, keyOf, Model, posted } from './model.js';
import { expectAnswers, expectStatements, matching, type Question } from './questions.js';
import { authority, LEARNED, ORDER, PEER, POD_A, POD_B } from './sources.js';

const LEARNED_PEERS = longNames('https://learned-peer.example/').map(
  (url): Source => ({ kind: 'peer', url }),
);
const SOURCES = [POD_A, POD_B, LEARNED, PEER, ...LEARNED_PEERS, SAMPLES];
/** Of which something is heard, the first ones more often. */
const anySource = pick(POD_A, POD_A, POD_A, PEER, PEER, ...SOURCES);
/** Readers of the feed, each at its own pace. */
const READERS = 3;
const DOCUMENTS: Readonly<Record<string, (source: Source) => string>> = {
  one: ({ url }) => `${url}one`,
  long: ({ url }) => `${url}${longNames('')[0]}`,
  longer: ({ url }) => `${url}${longNames('')[1]}`,
  // Two sources may hold the same one.
  shared: () => 'https://a.example/shared',
  // What a peer says for itself.
  own: ({ url }) => takenFrom(url, LOCAL.url),
};
const DAY = 86_400_000;
const FEW = 3;
const GROUPS = ['pod https://x.example/', 'local urn:registry:local'];
const anyRecord = fc.record(
  {
    etag: pick('"1"', '"2"'),
    of: pick(...GROUPS),
    authority: pick(
      ...[authority(0), authority(1), authority(2)],
      ...[
        { ...LOCAL, class: 'own', place: 0 } as const,
        { ...LEARNED, class: 'learned-pod', place: 0 } as const,
      ],
    ),
  },
  { requiredKeys: [] },
);
const url = pick('one', 'one', 'one', ...Object.keys(DOCUMENTS));
const anyDocument = fc.oneof(
  { weight: 4, arbitrary: fc.record({ url, components: someMetadata, record: anyRecord }) },
  {
    weight: 3,
    arbitrary: fc.record({
      ...{ url, record: anyRecord },
      amend: fc.record({ put: someMetadata, remove: someUris }),
    }),
  },
  // It says once more what it says.
  { weight: 3, arbitrary: fc.record({ url, isAgain: fc.constant(true) }) },
  { weight: 1, arbitrary: fc.record({ url, record: fc.constant(null) }) },
  { weight: 1, arbitrary: fc.record({ url, record: anyRecord }) },
);
const anyChange = fc.record({
  documents: fc.uniqueArray(anyDocument, { maxLength: 3, selector: (one) => one.url }),
  expects: pick(undefined, undefined, { isRight: true }, { isRight: false }),
  of: pick('', ...GROUPS),
  // Nothing but the time of the poll is new where there is none.
  memo: fc.option(fc.nat(3)),
});
type Change = Parameters<Parameters<typeof anyChange.map>[0]>[0];

const step = <K extends string, T extends object>(
  weight: number,
  kind: K,
  fields: { [P in keyof T]: fc.Arbitrary<T[P]> },
) => ({ weight, arbitrary: fc.record<T>(fields).map((rest) => ({ kind, ...rest })) });
const pinned = { name: pick(...PINNED), version: pick(undefined, '1.0.0') };
const anyPin = { ...pinned, source: pick(...SOURCES), first: pick(...INTEGRITY), last: pick(...INTEGRITY) };
const anyStep = fc.oneof(
  // Of one source, at once.
  step(8, 'poll', { source: anySource, changes: fc.array(anyChange, { minLength: 1, maxLength: 2 }) }),
  step(4, 'post', { put: someMetadata, remove: someUris }),
  step(1, 'forget', { source: pick(...SOURCES) }),
  step(1, 'network', { hops: fc.nat(2) }),
  step(3, 'pin', anyPin),
  step(2, 'forget pins', pinned),
  step(3, 'follow', { reader: fc.nat(READERS - 1), limit: fc.integer({ min: 1, max: 4 }) }),
  step(1, 'failure', { isStored: fc.boolean(), put: someMetadata }),
  // Behind so many commits.
  step(3, 'break', { source: anySource, change: anyChange, commits: fc.nat(2) }),
  // Of those that say more than one commit takes.
  step(2, 'break forgetting', { source: pick(POD_A, PEER), commits: fc.nat(1) }),
  step(1, 'break pin', { ...anyPin, commits: fc.nat(1) }),
  step(1, 'loss', { put: someMetadata }),
  // Mostly so long that removals are forgotten.
  step(2, 'time', { passed: pick(-DAY / 24, DAY, 200 * DAY, 200 * DAY) }),
  step(2, 'restart', {
    put: someMetadata,
    pods: pick([POD_A.url, POD_B.url], [POD_B.url, POD_A.url], [POD_A.url]),
    peers: pick([PEER.url], [PEER.url], []),
    baseUrl: pick(BASE_URL, 'http://elsewhere.example'),
  }),
);
type Step = Parameters<Parameters<typeof anyStep.map>[0]>[0];

/** A copy of a registry that knows nothing but what the feed tells. */
class Follower {
  readonly #statements = new Map<string, StatementChange>();
  readonly #lines = new Map<string, State['feed']['sources'][number]>();
  #since: Cursor | undefined;
  /** The latest time at which it has followed. */
  #at = 0;

  /** @param now the latest time that there has been */
  async follow(registry: TestRegistry, now: number, limit = 3): Promise<void> {
    const since = this.#since;
    for (let after: number | undefined, isEnd = false; !isEnd; ) {
      const page = await registry.catalog.changes({ since, after, limit });
      if ('unknown' in page) {
        // Commits are lost, or removals since then are forgotten: everything is read again.
        const isLost = since?.epoch !== (await registry.state()).revision.epoch;
        expect(page.unknown).toBe(isLost ? 'epoch' : 'expired');
        if (!isLost) expect(now - this.#at).toBeGreaterThan(REMOVALS_REMEMBERED - DAY);
        this.#since = undefined;
        this.#statements.clear();
        return this.follow(registry, now, limit);
      }
      expect(page.changes.length).toBeLessThanOrEqual(limit);
      for (const change of page.changes) {
        expect(change.position).toBeGreaterThan(after ?? since?.position ?? 0);
        this.#apply(change);
      }
      for (const line of page.sources) this.#lines.set(sourceKey(line.source), line);
      this.#since = cursorOf(page.state);
      after = page.next;
      isEnd = after === undefined;
    }
    this.#at = now;
    const { feed } = await registry.state();
    expect(digestsOf(this.#statements.values())).toEqual(
      new Map(feed.sources.map(({ source, digest }) => [sourceKey(source), digest])),
    );
    for (const line of feed.sources) expect(this.#lines.get(sourceKey(line.source))).toEqual(line);
  }

  #apply(change: StatementChange): void {
    const key = `${keyOf(change.source, change.document)} ${change.uri}`;
    if (change.metadata) this.#statements.set(key, change);
    else this.#statements.delete(key);
  }
}

/** The nodes of one registry, and its model, to which the same happens. */
class Pair {
  readonly #model = new Model();
  readonly #readers = Array.from({ length: READERS }, () => new Follower());
  readonly #nodes: TestRegistry[] = [];
  #options: TestOptions;
  #latest = 0;
  /** The latest state, which other nodes may not have heard of yet. */
  #seen!: State;
  /** Has something changed in the present step, perhaps only for a moment? */
  #isNews = false;
  /** Nodes that are configured otherwise than all show. */
  readonly #former = new Set<TestRegistry>();
  readonly #warned: string[] = [];
  /** Does what was answered before stay what it was? */
  readonly #answered: (() => Promise<void>)[] = [];

  private constructor(
    readonly engine: KeepEngine,
    options: TestOptions,
  ) {
    const clock = { ...systemClock, now: () => this.#model.now };
    const log = { warn: (_: object, message: string) => void this.#warned.push(message) };
    this.#options = { clock, log, baseUrl: BASE_URL, order: ORDER, ...options };
  }

  static async open(engine: KeepEngine, nodes: number, mostAtOnce: number): Promise<Pair> {
    const pair = new Pair(engine, { mostAtOnce, isShared: nodes > 1 });
    while (pair.#nodes.length < nodes)
      pair.#nodes.push(await openRegistry(await engine.open(), pair.#options));
    pair.#seen = (await pair.#nodes.at(-1)?.state()) as State;
    return pair;
  }

  async #reopen(one: TestRegistry): Promise<TestRegistry> {
    await one.close();
    this.#former.delete(one);
    const opened = await openRegistry(await this.engine.open(), this.#options);
    this.#nodes.splice(this.#nodes.indexOf(one), 1, opened);
    return opened;
  }

  async close(): Promise<void> {
    for (const one of this.#nodes) await one.close();
  }

  async happens(step: Step, by: number, questions: readonly [Question, ...Question[]]): Promise<void> {
    const model = this.#model;
    model.now += 700;
    let node = this.#nodes[by % this.#nodes.length] as TestRegistry;
    const before = this.#seen;
    const [view, network] = [model.view(), JSON.stringify(model.network)];
    const polled = await Promise.all((await node.sources()).map(({ source }) => node.source(source)));
    const documents = polled.map((one) => [...(one?.documents.keys() ?? [])]);
    // What is posted may be decided upon what others have changed meanwhile; whoever polls has the latest state.
    if (step.kind !== 'post' && step.kind !== 'pin') {
      // A node of a former configuration neither polls nor forgets.
      if (this.#former.has(node)) node = await this.#reopen(node);
      await caughtUp(node);
    }
    this.#isNews = false;
    if (step.kind === 'restart') {
      const former = JSON.stringify(this.#options);
      const { pods, peers, baseUrl } = step;
      this.#options = { ...this.#options, baseUrl, order: { pods, peers } };
      this.#isNews = JSON.stringify(this.#options) !== former;
      model.precedence = precedenceOf({ pods, peers });
      node = await this.#reopen(node);
      if (this.#isNews) for (const one of this.#nodes) if (one !== node) this.#former.add(one);
      await this.#beginsBusy(step, node, questions[0]);
    } else if (step.kind === 'failure') node = await this.#fails(step, node);
    else if (step.kind === 'break') node = await this.#breaksOff(step, node);
    else if (step.kind === 'break forgetting') node = await this.#breaksOffForgetting(step, node);
    else if (step.kind === 'break pin') node = await this.#breaksOffPin(step, node);
    else await this.#changes(step, node);
    // A poll has the documents that it began with.
    expect(polled.map((one) => [...(one?.documents.keys() ?? [])])).toEqual(documents);

    this.#seen = await node.state();
    const { revision, networkRevision, feed } = this.#seen;
    const isMoved = this.#isNews || model.view() !== view;
    const time = Math.max(model.now, before.revision.since);
    // A node that shows late what another one has written may date it by that.
    const times = isMoved ? [time] : [before.revision.since, ...(this.#nodes.length > 1 ? [time] : [])];
    expect(times).toContain(revision.since);
    expect(revision.number > before.revision.number).toBe(isMoved);
    // What is posted is one commit, however much it is.
    if (step.kind === 'post') expect(revision.number - before.revision.number).toBeLessThanOrEqual(1);
    expect(networkRevision.number > before.networkRevision.number).toBe(
      JSON.stringify(model.network) !== network,
    );
    if (feed.position > before.feed.position) model.at = Math.max(model.now, model.at);
    // What is no news for readers of the feed leaves them where they are.
    else expect([feed.digest, feed.position]).toEqual([before.feed.digest, before.feed.position]);
    if (isMoved || networkRevision.number > before.networkRevision.number) model.forgetRemovals();
    await this.#compare(node, questions);
  }

  async #changes(
    step: Exclude<Step, { kind: 'restart' | 'failure' | `break${string}` }>,
    node: TestRegistry,
  ): Promise<void> {
    const model = this.#model;
    if (step.kind === 'poll') {
      const { outcomes, wanted } = await this.#polls(step, node);
      expect(outcomes).toEqual(wanted);
    } else if (step.kind === 'loss') await this.#loses(step, node);
    else if (step.kind === 'post')
      expect(await outcomeOf(node.commitOwn(step))).toEqual(this.#commits(posted(step)));
    else if (step.kind === 'follow') {
      this.#latest = Math.max(this.#latest, model.now);
      await this.#readers[step.reader]?.follow(node, this.#latest, step.limit);
    } else if (step.kind === 'forget') {
      await node.forget(step.source);
      model.forget(step.source);
    } else if (step.kind === 'network') {
      const peers = step.hops === 0 ? [] : [{ url: 'https://p.example', hops: step.hops, via: [] }];
      model.network = { peers, storage: [] };
      await node.setNetwork(model.network);
    } else if (step.kind === 'pin') await this.#pins(step, node);
    else if (step.kind === 'forget pins') {
      const { uri } = component(step.name);
      expect(await forgetPins(node.pins, uri, step.version)).toBe(
        [...model.pins.values()].filter((pin) => {
          const isMeant = pin.uri === uri && (step.version === undefined || pin.version === step.version);
          return isMeant && model.pins.delete(pinKey(pin));
        }).length,
      );
    } else {
      model.now += step.passed;
      this.#latest = Math.max(this.#latest, model.now);
    }
  }

  get #baseUrl(): string {
    return this.#options.baseUrl ?? BASE_URL;
  }

  /** What is asked and changed while a start has not made its index yet. */
  async #beginsBusy({ put }: Step & { kind: 'restart' }, node: TestRegistry, { query }: Question) {
    const listed = () => matching(this.#model.everything(), query).map(([{ metadata }]) => metadata);
    const before = listed();
    const [found, outcome] = await Promise.all([node.list(query), outcomeOf(node.commitOwn({ put }))]);
    expect(outcome).toEqual(this.#commits(posted({ put })));
    expect([before, listed()]).toContainEqual(found);
  }

  /** As the model does it; whether readers notice is seen after each of several commits. */
  #commits(change: SourceChange): object | string {
    const before = this.#model.view();
    const outcome = this.#model.commit(change);
    this.#isNews ||= this.#model.view() !== before;
    return outcome;
  }

  /** A change, as a poll of the source asks for it; and what it comes to. */
  #asked(source: Source, { documents, memo, expects, of }: Change) {
    const named = documents.map((one) => {
      const name = DOCUMENTS[one.url]?.(source) ?? '';
      if (!('isAgain' in one)) return { ...one, url: name };
      const { record = {} } = this.#model.documentsOf(source).find((known) => known.url === name) ?? {};
      return { url: name, record, components: this.#model.said(source, name) };
    }) as DocumentChange[];
    const lastSuccess = this.#model.now;
    const record = ({ failures, ...others }: SourceRecord) =>
      memo === null
        ? { failures, ...others, lastSuccess }
        : { failures: failures + 1, lastSuccess, memo: { at: memo } };
    const change: SourceChange = { source, documents: named, record };
    if (!expects) return change;
    const after = expects.isRight ? this.#model.after(change).digestOf(source, of) : 'none';
    return { ...change, expected: new Map([[of, after]]) };
  }

  /** Changes of one source happen in the order in which they were asked for. */
  async #polls({ source, changes }: Pick<Step & { kind: 'poll' }, 'source' | 'changes'>, node: TestRegistry) {
    const lease = await node.polls?.take(source);
    const asked = changes.map((one) => {
      const change = this.#asked(source, one);
      return { change: { ...change, ...(lease ? { lease } : {}) }, wanted: this.#commits(change) };
    });
    const outcomes = await Promise.all(asked.map(({ change }) => outcomeOf(node.registry.commit(change))));
    await lease?.release();
    return { outcomes, wanted: asked.map(({ wanted }) => wanted) };
  }

  /** What a crash leaves of a poll is a state like any other; the same poll, made again, ends as without it. */
  async #breaksOff({ source, change, commits }: Step & { kind: 'break' }, broken: TestRegistry) {
    const model = this.#model;
    const asked = this.#asked(source, change);
    const { outcome, node } = await this.#killed(broken, commits, () =>
      outcomeOf(broken.registry.commit(asked)),
    );
    if (outcome !== 'Error') {
      expect(outcome).toEqual(this.#commits(asked));
      return node;
    }
    const { record, documents } = await this.#expectPart(node, source, model.after(asked));
    expect(record).toEqual(model.records.get(sourceKey(source)) ?? (documents && { failures: 0 }));
    await this.#polls({ source, changes: [change] }, node);
    return node;
  }

  /** The same of a source that is forgotten, which the signal breaks off. */
  async #breaksOffForgetting(
    { source, commits }: Step & { kind: 'break forgetting' },
    broken: TestRegistry,
  ): Promise<TestRegistry> {
    const breaking = new AbortController();
    let shown = 0;
    const unwatch = broken.catalog.watch(() => {
      shown += 1;
      if (shown > commits) breaking.abort(new Error('broken off'));
    });
    await broken.forget(source, breaking.signal).catch(({ message }) => expect(message).toBe('broken off'));
    expect(shown).toBeLessThanOrEqual(commits + 1);
    unwatch();
    const [node, after] = [await this.#reopen(broken), this.#model.after()];
    after.forget(source);
    const { record } = await this.#expectPart(node, source, after);
    expect([undefined, { failures: 0 }]).toContainEqual(record);
    await node.forget(source);
    this.#model.forget(source);
    return node;
  }

  /** A pin is stored in one commit with what tells readers of it. */
  async #breaksOffPin(step: Step & { kind: 'break pin' }, broken: TestRegistry): Promise<TestRegistry> {
    const [subject, decide] = look(step);
    const { outcome, node } = await this.#killed(broken, step.commits, () =>
      broken.pins
        .change([subject], (_, known) => decide(known))
        .then(
          () => 'done',
          ({ name }: Error) => name,
        ),
    );
    if (outcome === 'done') this.#model.look(subject, decide);
    return node;
  }

  /** Runs a task of a node that is killed behind so many commits, and opens it again. */
  async #killed(broken: TestRegistry, commits: number, task: () => Promise<object | string>) {
    const repair = aroundCommits(broken, (commit, number) =>
      number > commits ? Promise.reject(new Error('killed')) : commit(),
    );
    const outcome = await task();
    repair();
    return { outcome, node: await this.#reopen(broken) };
  }

  /** What a document says that is neither what it said nor what it is to say is read again. */
  async #expectPart(node: TestRegistry, source: Source, after: Model) {
    await expectDigests(node);
    const states = [this.#model, after];
    const { record, documents } = (await node.source(source)) ?? {};
    for (const { url } of states.flatMap((one) => one.documentsOf(source))) {
      if (documents?.get(url)?.etag === undefined) continue;
      const said = node.said(source, url).said.map(({ metadata }) => metadata);
      expect(states.map((one) => byUri(one.said(source, url)))).toContainEqual(byUri(said));
    }
    return { record, documents };
  }

  /** What is posted is lost with a backup that is restored: another epoch begins. */
  async #loses({ put }: Step & { kind: 'loss' }, node: TestRegistry): Promise<void> {
    const restore = this.#nodes.length > 1 ? await this.engine.backup?.() : undefined;
    if (!restore) return;
    const { epoch } = (await node.state()).revision;
    await node.commitOwn({ put });
    await restore();
    await caughtUp(node);
    expect((await node.state()).revision.epoch).not.toBe(epoch);
  }

  /** Twice at once: each decision knows of the one before. */
  async #pins(step: Step & { kind: 'pin' }, node: TestRegistry): Promise<void> {
    const [subject, decide] = look(step);
    const looks = [1, 2].map(() => node.pins.change([subject], (_, known) => decide(known)));
    await Promise.all(looks);
    for (const _ of looks) this.#model.look(subject, decide);
  }

  /** The keep fails in a commit: before it, or so that nobody knows. */
  async #fails({ isStored, put }: Step & { kind: 'failure' }, node: TestRegistry): Promise<TestRegistry> {
    const repair = aroundCommits(node, async (commit) => {
      if (!isStored) throw new StorageFailure('The disk of this node is full');
      await commit();
      throw new OutcomeUnknown('Nobody knows');
    });
    await expect(node.commitOwn({ put })).rejects.toThrow();
    repair();
    if (isStored) this.#commits(posted({ put }));
    return this.#reopen(node);
  }

  /** Is everything that readers can see what the model says? */
  async #compare(
    node: TestRegistry,
    questions: readonly Question[] = [{ query: {}, limit: 5 }],
  ): Promise<void> {
    const model = this.#model;
    for (const question of questions)
      this.#answered.push(await expectAnswers(node, model.everything(), question, this.#baseUrl));
    const { feed, network } = await node.state();
    expect(await expectDigests(node)).toEqual(model.digests());
    // Each statement once, however often it came and went.
    expect((await node.changes({ removals: true })).changes).toHaveLength(model.latest().size);
    expect(feed.tombstones).toBe(model.tombstones);
    expect(network).toEqual(model.network);
    const stored = await node.sources();
    expect(new Map(stored.map(({ source, record }) => [sourceKey(source), record]))).toEqual(model.records);
    for (const { source, documents } of stored)
      expect(Object.fromEntries(documents)).toEqual(
        Object.fromEntries(
          model
            .documentsOf(source)
            .map(({ url: name, record, said }) => [name, { ...record, components: said.size }]),
        ),
      );
    const pins = [...model.pins.values()].sort((one, other) => compareText(pinKey(one), pinKey(other)));
    expect(await node.pins.list({})).toEqual(pins);
    const changed = pins.filter(({ changedAt }) => changedAt !== undefined);
    expect(await node.pins.list({ changed: true, limit: 2 })).toEqual(changed.slice(0, 2));
    expect(await node.pins.counts()).toEqual({ all: pins.length, changed: changed.length });
    const named = PINNED.map((name) => component(name, { version: '1.0.0' }));
    expect(await node.pins.get(named)).toEqual(named.map((one) => model.pins.get(pinKey(one))));
  }

  /** What all nodes tell at last, also after a start, which moves nothing; and what a keep has in quads. */
  async compareEnd(): Promise<void> {
    for (const [i, node] of this.#nodes.entries()) {
      await caughtUp(node);
      await this.#readers[i]?.follow(node, this.#latest);
      await this.#compare(node);
    }
    const [first, ...others] = await Promise.all(this.#nodes.map(told));
    for (const other of others) expect(other).toEqual(first);
    const node = await this.#reopen(this.#nodes[0] as TestRegistry);
    expect(await told(node)).toEqual(first);
    await this.#compare(node);
    for (const reader of this.#readers) await reader.follow(node, this.#latest);
    const since = cursorOf(await node.state());
    for (const [unknown, other] of Object.entries({
      epoch: { ...since, epoch: 'other' },
      future: { ...since, position: since.position + 99 },
      fork: { ...since, digest: '00000000' },
    }))
      expect(await node.catalog.changes({ since: other, limit: 1 })).toEqual({ unknown });
    expect(this.#warned.filter((said) => !said.includes('another configuration was started'))).toEqual([]);
    await this.#compareChanges(node);
    await expectStatements(node, this.#model.everything(), this.#baseUrl);
    for (const isAsItWas of this.#answered) await isAsItWas();
    await this.#compareDocuments(node);
  }

  /** The feed tells the latest of each statement, and by its ranks whoever reads it can order them as the node does. */
  async #compareChanges(node: TestRegistry): Promise<void> {
    const model = this.#model;
    const { changes, sources } = await node.changes({ removals: true });
    const latest = changes.map(({ metadata, at, since = at, rank, pin, ...name }) => {
      const said = metadata ? { metadata, since, rank, pin } : { at };
      return [`${keyOf(name.source, name.document)} ${name.uri}`, said] as const;
    });
    expect(new Map(latest)).toEqual(model.latest());
    for (const { source, rank } of sources) expect(rank).toBe(model.precedence.rank(source));
    const times = changes.map(({ at }) => at);
    expect(times).toEqual(times.toSorted((one, next) => one - next));
    const removed = changes.filter(({ metadata }) => !metadata);
    for (const uri of new Set(removed.map((one) => one.uri)))
      expect(await node.catalog.removals(uri)).toEqual(removed.filter((one) => one.uri === uri));
  }

  async #compareDocuments({ catalog, keep }: TestRegistry): Promise<void> {
    for (const { source, document } of this.#model.named.values()) {
      const said = this.#model.said(source, document);
      const told = await catalog.said(source, document);
      expect(told.map(({ metadata }) => metadata)).toEqual(
        said.toSorted((one, other) => compareText(one.uri, other.uri)),
      );
      if (keep.holdsQuads)
        expect(await quadsOf(keep, source, document)).toEqual(written(said, source, document));
    }
  }
}

/** Of which module a look is, and what it makes of what is known. */
function look({ name, version, source, first, last }: Omit<Step & { kind: 'pin' }, 'kind'>) {
  const subject = { uri: component(name).uri, version };
  const seen = { ...subject, source, first, last, since: 1 };
  const decide = (known: StoredPin | undefined): StoredPin => ({
    ...{ ...seen, changedAt: first === last ? undefined : 5, checked: (known?.checked ?? 0) + 1 },
  });
  return [subject, decide] as const;
}

/** The quads of a document that are stored, as texts. */
export async function quadsOf(keep: Keep, source: Source, document: string): Promise<string[]> {
  const found: Quad[] = [];
  for await (const some of keep.quads([DataFactory.namedNode(graphName(source, document))]))
    found.push(...some);
  return sorted(found);
}

/** Those of what it says. */
export function written(said: readonly Metadata[], source: Source, document: string): string[] {
  const graph = DataFactory.namedNode(graphName(source, document));
  return [...new Set(sorted(said.flatMap((one) => storedQuads(one, graph))))];
}

async function caughtUp(node: TestRegistry): Promise<void> {
  const { revision, feed } = await node.state();
  await node.catalog.state({ epoch: revision.epoch, position: feed.position + 1 });
}

/** Everything that readers are told. */
export async function told(node: TestRegistry) {
  const { feed, ...state } = await node.state();
  const { changes } = await node.changes({ removals: true });
  // In which order sources are held is nobody's business.
  const sources = new Map(feed.sources.map((one) => [sourceKey(one.source), one]));
  const { json } = await node.catalog.page({});
  return { ...state, feed: { ...feed, sources }, changes, bytes: String(json?.whole()) };
}

/** Do the digests that readers are told fit what they are told? @returns those of sources, by their keys */
export async function expectDigests(node: TestRegistry): Promise<Map<string, string>> {
  const { feed, networkRevision } = await node.state();
  expect(feed.digest).toBe(feedDigest(feed.sources, networkRevision.number));
  const digests = new Map(feed.sources.map(({ source, digest }) => [sourceKey(source), digest]));
  expect(digests).toEqual(digestsOf((await node.changes()).changes));
  return digests;
}

const byUri = (all: readonly Metadata[]) => new Map(all.map((one) => [one.uri, one]));
const sorted = (all: readonly object[]) => all.map((one) => JSON.stringify(one)).sort();

/** What a commit has changed, or the name of its failure. */
async function outcomeOf(commit: ReturnType<TestRegistry['commitOwn']>): Promise<object | string> {
  try {
    const { added, changed, removed } = await commit;
    return { added, changed, removed };
  } catch (error) {
    if (error instanceof Error) return error.name;
    throw error;
  }
}

/** What may happen to a registry, in commits as they come or in commits of a few statements, and what is asked after each step. */
function anyHistory(questions: number) {
  const some = fc.tuple(anyQuestion, ...Array.from({ length: questions - 1 }, () => anyQuestion));
  return fc.record({
    steps: fc.array(fc.tuple(anyStep, fc.nat(1), some), { maxLength: 20 }),
    mostAtOnce: pick(FEW, 10_000),
  });
}

function throwError({ errorInstance }: { readonly errorInstance: unknown }): void {
  if (errorInstance) throw errorInstance;
}

/**
 * Lets random histories happen to registries and to their models, and compares them after each step: the contract of a registry. Call
 * it in the test file of an engine.
 * @param nodes that share the registry @param questions to the catalog after each step
 */
export function registryContract(
  name: string,
  createEngine: () => Promise<KeepEngine>,
  {
    runs: numRuns,
    nodes,
    questions = 1,
  }: { readonly runs: number; readonly nodes: number; questions?: number },
): void {
  const timeout = 60_000 + numRuns * 500;
  it(`${numRuns} histories of a registry: ${name} end as the model says (seed ${seed})`, { timeout }, () =>
    fc.assert(
      fc.asyncProperty(anyHistory(questions), async ({ steps, mostAtOnce }) => {
        const engine = await createEngine();
        const pair = await Pair.open(engine, nodes, mostAtOnce);
        try {
          for (const [i, [step, by, asked]] of steps.entries())
            await pair.happens(step, by, asked).catch((cause) => {
              const kinds = steps.slice(0, i + 1).map(([{ kind }]) => kind);
              throw new Error(`The last of these steps went wrong: ${kinds.join(', ')}`, { cause });
            });
          await pair.compareEnd();
        } finally {
          await pair.close();
        }
      }),
      // To shrink a history takes longer than the test may, and one fills screens: the seed repeats it.
      { numRuns, seed, endOnFailure: true, reporter: throwError },
    ),
  );
}
