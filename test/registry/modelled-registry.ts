import fc from 'fast-check';
import { expect } from 'vitest';
import type { State } from '../../src/catalog/catalog.js';
import type { Source } from '../../src/component/source.js';
import { precedenceOf } from '../../src/core/precedence.js';
import { systemClock } from '../../src/lib/clock.js';
import type { SourceChange } from '../../src/registry/difference.js';
import type { KeepEngine } from '../keep/contract.js';
import { openRegistry, registryOptions, type TestOptions, type TestRegistry } from '../support/registry.js';
import type { ChangeOf } from './any-change.js';
import { expectModelled, expectModelledEnd } from './expect-modelled.js';
import { Follower } from './follower.js';
import { Model, posted } from './model.js';
import type { Question } from './questions.js';
import { ORDER } from './sources.js';
import { caughtUp, told } from './told.js';

export const READERS = 3;

/** What may happen to the present node and to the model. */
export interface Step {
  readonly kind: string;
  readonly happen: (at: ModelledRegistry) => Promise<unknown>;
}

/** A kind of steps, with how often it happens and what is given to it. */
export const step = <T extends object>(
  weight: number,
  kind: string,
  fields: { [P in keyof T]: fc.Arbitrary<T[P]> },
  happen: (given: T, at: ModelledRegistry) => Promise<unknown>,
) => ({
  weight,
  arbitrary: fc.record<T>(fields).map((given): Step => ({ kind, happen: (at) => happen(given, at) })),
});

/** The nodes of one registry, and its model, to which the same happens. */
export class ModelledRegistry {
  readonly model = new Model();
  /** Readers of the feed, each at its own pace. */
  readonly readers = Array.from({ length: READERS }, () => new Follower());
  /** The node to which the present step happens. */
  node!: TestRegistry;
  /** With which its nodes are started. */
  options: ReturnType<typeof registryOptions>;
  /** With the order of sources that each was started with. */
  readonly #nodes = new Map<TestRegistry, TestOptions['order']>();
  /** The latest state, of which other nodes may not have heard yet. */
  #latest: State | undefined;
  /** Has something changed in the present step, perhaps only for a moment? */
  #isNews = false;
  readonly #warned: string[] = [];
  /** Does what was answered before stay what it was? */
  readonly #answered: (() => Promise<void>)[] = [];

  constructor(
    readonly engine: KeepEngine,
    options: TestOptions,
  ) {
    const clock = { ...systemClock, now: () => this.model.now };
    const log = { warn: (_: object, message: string) => void this.#warned.push(message) };
    this.options = registryOptions({ clock, log, order: ORDER, ...options });
  }

  /** Starts one more node. */
  async open(): Promise<void> {
    this.node = await openRegistry(await this.engine.open(), this.options);
    this.#nodes.set(this.node, this.options.order);
  }

  /** Starts the present node again, perhaps configured otherwise: readers notice that. */
  async reopen(options: TestOptions = {}): Promise<void> {
    const former = JSON.stringify(this.options);
    this.options = { ...this.options, ...options };
    this.#isNews ||= JSON.stringify(this.options) !== former;
    this.model.precedence = precedenceOf(this.options.order);
    this.#nodes.delete(this.node);
    await this.node.close();
    await this.open();
  }

  async close(): Promise<void> {
    for (const one of this.#nodes.keys()) await one.close();
  }

  /** Changes the model; whether readers notice is seen after each of several commits. @returns what the change comes to */
  commits(change: SourceChange): object | string {
    const before = this.model.view();
    const outcome = this.model.commit(change);
    this.#isNews ||= this.model.view() !== before;
    return outcome;
  }

  async posts(amend: Parameters<typeof posted>[0]): Promise<void> {
    const outcome = await outcomeOf(this.node.commitOwn(amend));
    expect(outcome).toEqual(this.commits(posted(amend)));
  }

  /** Changes of one source happen in the order in which they were asked for. */
  async polls(source: Source, changes: readonly ChangeOf[]) {
    const lease = await this.node.polls?.take(source);
    const asked = changes.map((changeOf) => {
      const change = changeOf(source, this.model);
      return { change: { ...change, ...(lease ? { lease } : {}) }, wanted: this.commits(change) };
    });
    const outcomes = await Promise.all(asked.map(({ change }) => outcomeOf(this.node.commit(change))));
    await lease?.release();
    return { outcomes, wanted: asked.map(({ wanted }) => wanted) };
  }

  /** @param by the number of the node @param questions that readers ask afterwards */
  async happens(step: Step, by: number, questions: readonly Question[]): Promise<void> {
    const { model } = this;
    model.now += 700;
    this.node = [...this.#nodes.keys()][by % this.#nodes.size] as TestRegistry;
    const before = this.#latest ?? (await this.node.state());
    const [view, network] = [model.view(), JSON.stringify(model.network)];
    const polled = (await this.node.sources()).map(({ documents }) => documents);
    const documents = polled.map((one) => [...one.keys()]);
    this.#isNews = false;
    // What is posted may be decided upon what others have changed meanwhile; whoever polls has the latest state.
    if (step.kind !== 'post' && step.kind !== 'pin') {
      // One that is configured as nodes were before neither polls nor forgets.
      if (this.#nodes.get(this.node) !== this.options.order) await this.reopen();
      await caughtUp(this.node);
    }
    await step.happen(this);
    // A poll has the documents that it began with.
    expect(polled.map((one) => [...one.keys()])).toEqual(documents);

    this.#latest = await this.node.state();
    const { revision, networkRevision, feed } = this.#latest;
    const isMoved = this.#isNews || model.view() !== view;
    const time = Math.max(model.now, before.revision.since);
    // A node that shows late what another one has written may date it by that.
    const times = isMoved ? [time] : [before.revision.since, ...(this.options.isShared ? [time] : [])];
    expect(times).toContain(revision.since);
    expect(revision.number > before.revision.number).toBe(isMoved);
    // What is posted is one commit, however much it is.
    if (step.kind === 'post') expect(revision.number - before.revision.number).toBeLessThanOrEqual(1);
    const isNetworkMoved = JSON.stringify(model.network) !== network;
    expect(networkRevision.number > before.networkRevision.number).toBe(isNetworkMoved);
    if (feed.position > before.feed.position) model.at = Math.max(model.now, model.at);
    // What is no news for readers of the feed leaves them where they are.
    else expect([feed.digest, feed.position]).toEqual([before.feed.digest, before.feed.position]);
    if (isMoved || isNetworkMoved) model.forgetRemovals();
    this.#answered.push(...(await expectModelled(this, questions)));
  }

  /** Do all nodes tell at last what the model says, also after a start, which moves nothing? */
  async ends(): Promise<void> {
    for (const [i, node] of [...this.#nodes.keys()].entries()) {
      this.node = node;
      await caughtUp(node);
      await this.readers[i]?.follow(node, this.model.now);
      await expectModelled(this);
    }
    const [first, ...others] = await Promise.all([...this.#nodes.keys()].map(told));
    for (const other of others) expect(other).toEqual(first);
    await this.reopen();
    expect(await told(this.node)).toEqual(first);
    await expectModelled(this);
    for (const reader of this.readers) await reader.follow(this.node, this.model.now);
    await expectModelledEnd(this);
    for (const isAsItWas of this.#answered) await isAsItWas();
    expect(this.#warned.filter((said) => !said.includes('another configuration was started'))).toEqual([]);
  }
}

/** What a commit has changed, or the name of its failure. */
export async function outcomeOf(commit: ReturnType<TestRegistry['commitOwn']>): Promise<object | string> {
  try {
    const { added, changed, removed } = await commit;
    return { added, changed, removed };
  } catch (error) {
    if (error instanceof Error) return error.name;
    throw error;
  }
}
