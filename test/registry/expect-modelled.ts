import { expect } from 'vitest';
import { pinKey } from '../../src/component/pin.js';
import { sourceKey } from '../../src/component/source.js';
import { cursorOf } from '../../src/core/cursor.js';
import { compareText } from '../../src/lib/compare-text.js';
import { component, type TestRegistry } from '../support/registry.js';
import { PINNED } from './any-metadata.js';
import { keyOf, type Model } from './model.js';
import type { ModelledRegistry } from './modelled-registry.js';
import { expectAnswers, expectStatements, type Question } from './questions.js';
import { expectDigests, storedOf, writtenOf } from './told.js';

/** Is what a node tells what the model says? @returns for each question: does what was answered stay what it was? */
export async function expectModelled(
  { node, model, options: { baseUrl } }: ModelledRegistry,
  questions: readonly Question[] = [{ query: {}, limit: 5 }],
) {
  const answered: (() => Promise<void>)[] = [];
  for (const question of questions)
    answered.push(await expectAnswers(node, model.everything(), question, baseUrl));
  const { feed, network } = await node.state();
  expect(await expectDigests(node)).toEqual(model.digests());
  await expectFeed(node, model);
  expect(feed.tombstones).toBe(model.tombstones);
  expect(network).toEqual(model.network);
  const stored = await node.sources();
  expect(new Map(stored.map(({ source, record }) => [sourceKey(source), record]))).toEqual(model.records);
  for (const { source, documents } of stored)
    expect(new Map(documents)).toEqual(
      new Map(
        model.documentsOf(source).map(({ url, record, said }) => [url, { ...record, components: said.size }]),
      ),
    );
  await expectPins(node, model);
  return answered;
}

async function expectPins({ pins }: TestRegistry, model: Model): Promise<void> {
  const all = [...model.pins.values()].sort((one, other) => compareText(pinKey(one), pinKey(other)));
  expect(await pins.list({})).toEqual(all);
  const changed = all.filter(({ changedAt }) => changedAt !== undefined);
  expect(await pins.list({ limit: 1 })).toEqual(all.slice(0, 1));
  expect(await pins.list({ changed: true })).toEqual(changed);
  expect(await pins.counts()).toEqual({ all: all.length, changed: changed.length });
  const named = PINNED.map((name) => component(name, { version: '1.0.0' }));
  expect(await pins.get(named)).toEqual(named.map((one) => model.pins.get(pinKey(one))));
}

/** Is the end of a history told uri by uri and document by document, as it was written, and no other history? */
export async function expectModelledEnd({
  node,
  model,
  options: { baseUrl },
}: ModelledRegistry): Promise<void> {
  const { catalog, keep, place } = node;
  const since = cursorOf(await node.state());
  const [epoch, position, digest] = ['other', since.position + 9, '00000000'];
  for (const [unknown, other] of Object.entries({ epoch: { epoch }, future: { position }, fork: { digest } }))
    expect(await catalog.changes({ since: { ...since, ...other }, limit: 1 })).toEqual({ unknown });
  await expectStatements(node, model.everything(), baseUrl);
  for (const { source, document } of model.named.values()) {
    const said = model.said(source, document);
    const told = (await catalog.said(source, document)).map(({ metadata }) => metadata);
    expect(told).toEqual(said.toSorted((one, other) => compareText(one.uri, other.uri)));
    const quads = place.isQuadstore ? writtenOf(said, source, document) : [];
    expect(await storedOf(keep, source, document)).toEqual(quads);
  }
}

/** The feed tells the latest of each statement, and by its ranks whoever reads it can order them as the node does. */
async function expectFeed(node: TestRegistry, model: Model): Promise<void> {
  const { changes, sources } = await node.changes({ removals: true });
  const latest = changes.map(({ metadata, at, since = at, rank, pin, ...name }) => {
    const said = metadata ? { metadata, since, rank, pin } : { at };
    return [`${keyOf(name.source, name.document)} ${name.uri}`, said] as const;
  });
  expect(new Map(latest)).toEqual(model.latest());
  // Each statement once, however often it came and went.
  expect(latest).toHaveLength(model.latest().size);
  for (const { source, rank } of sources) expect(rank).toBe(model.precedence.rank(source));
  const times = changes.map(({ at }) => at);
  expect(times).toEqual(times.toSorted((one, next) => one - next));
  const removed = changes.filter(({ metadata }) => !metadata);
  for (const uri of new Set(removed.map((one) => one.uri)))
    expect(await node.catalog.removals(uri)).toEqual(removed.filter((one) => one.uri === uri));
}
