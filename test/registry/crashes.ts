import fc from 'fast-check';
import { expect } from 'vitest';
import type { Metadata } from '../../src/component/metadata.js';
import { type Source, sourceKey } from '../../src/component/source.js';
import { type Precedence, precedenceOf } from '../../src/core/precedence.js';
import { aroundCommits } from '../support/commits.js';
import { expectSoon } from '../support/wait-for.js';
import { anyChange, anyLook, heardSource } from './any-change.js';
import { pick, someMetadata } from './any-metadata.js';
import type { Model } from './model.js';
import { type ModelledRegistry, outcomeOf, step } from './modelled-registry.js';
import { PEER, POD_A, POD_B } from './sources.js';
import { caughtUp, expectDigests } from './told.js';

/** Runs a task of the present node, which is killed behind so many commits, and starts it again. */
async function killed<T>(at: ModelledRegistry, commits: number, task: () => Promise<T>): Promise<T> {
  const repair = aroundCommits(at.node, (commit, number) =>
    number > commits ? Promise.reject(new Error('killed')) : commit(),
  );
  const outcome = await task();
  repair();
  await at.reopen();
  return outcome;
}

const byUri = (all: readonly Metadata[]) => new Map(all.map((one) => [one.uri, one]));

/** What a document says that is neither what it said nor what it is to say is read again. */
async function expectPart({ node, model }: ModelledRegistry, source: Source, after: Model) {
  await expectDigests(node);
  const states = [model, after];
  const { record, documents } = (await node.source(source)) ?? {};
  for (const { url } of states.flatMap((one) => one.documentsOf(source))) {
    if (documents?.get(url)?.etag === undefined) continue;
    const said = node.said(source, url).said.map(({ metadata }) => metadata);
    expect(states.map((one) => byUri(one.said(source, url)))).toContainEqual(byUri(said));
  }
  return { record, documents };
}

/** What breaks off work of a registry in random histories (`histories.ts`), behind so many commits. */
export const CRASHES = [
  // What a crash leaves of a poll is a state like any other; the same poll, made again, ends as without it.
  step(
    3,
    'break',
    { source: heardSource, changeOf: anyChange, commits: fc.nat(2) },
    async ({ source, changeOf, commits }, at) => {
      const { node, model } = at;
      const change = changeOf(source, model);
      const outcome = await killed(at, commits, () => outcomeOf(node.commit(change)));
      if (outcome !== 'Error') return expect(outcome).toEqual(at.commits(change));
      const { record, documents } = await expectPart(at, source, model.after(change));
      expect(record).toEqual(model.records.get(sourceKey(source)) ?? (documents && { failures: 0 }));
      await at.polls(source, [changeOf]);
    },
  ),
  // The same of a source that is forgotten, and says more than one commit takes.
  step(
    2,
    'break forgetting',
    { source: pick(POD_A, PEER), commits: pick(1, 2) },
    async ({ source, commits }, at) => {
      const { node, model } = at;
      await killed(at, commits, () => Promise.allSettled([node.forget(source)]));
      const { record } = await expectPart(at, source, model.after(model.forgetting(source)));
      expect([undefined, { failures: 0 }]).toContainEqual(record);
      await at.node.forget(source);
      model.forget(source);
    },
  ),
  // A pin is stored in one commit with what tells readers of it.
  step(
    1,
    'break pin',
    { look: anyLook, commits: fc.nat(1) },
    async ({ look: [subject, decide], commits }, at) => {
      const { pins } = at.node;
      const look = () => pins.change([subject], decide);
      const [{ status }] = await killed(at, commits, () => Promise.allSettled([look()]));
      if (status === 'fulfilled') at.model.look(subject, decide);
    },
  ),
  // What is posted is lost with a backup that is restored: another epoch begins. How all is shown is not lost.
  step(1, 'loss', { put: someMetadata, isReopened: fc.boolean() }, async ({ put, isReopened }, at) => {
    const { engine, options } = at;
    const restore = options.isShared ? await engine.backup?.() : undefined;
    if (!restore) return;
    const { pods, peers } = options.order;
    if (isReopened) await at.reopen({ order: { pods: pods.toReversed(), peers } });
    const { node } = at;
    const { epoch } = (await node.state()).revision;
    await node.commitOwn({ put });
    await restore();
    await caughtUp(node);
    expect((await node.state()).revision.epoch).not.toBe(epoch);
    const ranks = ({ rank }: Precedence) => [POD_A, POD_B].map(rank);
    await expectSoon(() => expect(ranks(node.precedence())).toEqual(ranks(precedenceOf(at.options.order))));
  }),
];
