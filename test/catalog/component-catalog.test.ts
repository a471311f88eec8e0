import { expect, it } from 'vitest';
import { openMemory } from '../../src/keep/memory/memory-keep.js';
import { systemClock } from '../../src/lib/clock.js';
import { memoryEngine } from '../keep/memory-engine.js';
import { registryContract } from '../registry/histories.js';
import { OK, POD_A } from '../registry/sources.js';
import { component, memoryData, memoryRegistry, openRegistry } from '../support/registry.js';
import { VirtualClock } from '../support/virtual-time.js';

// After each step of a history the catalog is asked, and answers as a list that is filtered.
registryContract('memory, with one node', memoryEngine, { runs: 30, nodes: 1, questions: 3 });

it('tells the latest hundred removals of a component, of the state in which it is asked', async () => {
  const data = memoryData();
  const registry = await memoryRegistry({}, data);
  const urls = Array.from({ length: 105 }, (_, i) => `${POD_A.url}${i}`);
  const { uri } = component('a');
  const say = (some: readonly string[], components = [component('a')]) =>
    registry.commit({
      ...{ source: POD_A, record: OK },
      documents: some.map((url) => ({ url, components, record: {} })),
    });
  await say(urls);
  await say(urls, []);
  const told = await registry.catalog.removals(uri);
  expect(told.map(({ document }) => document)).toEqual(urls.slice(5));
  // A start reads them in another order.
  expect(await (await memoryRegistry({}, data)).catalog.removals(uri)).toEqual(told);
  const asked = registry.catalog.removals(uri);
  await say(urls);
  expect([await asked, await registry.catalog.removals(uri)]).toEqual([told, []]);
});

it('tells each state to those who watch, and takes in what others have written for who knows of it', async () => {
  const data = memoryData();
  const node = () =>
    openRegistry(openMemory(data, { clock: systemClock, isShared: true }), { clock: new VirtualClock() });
  const [{ catalog }, other] = [await node(), await node()];
  const { revision, feed } = await catalog.state();
  const states: unknown[] = [];
  const unwatch = catalog.watch((state) => states.push(state));
  await other.upsertLocal([component('a')]);
  const { epoch } = revision;
  for (const known of [undefined, { epoch, position: feed.position }, { epoch: 'other', position: 99 }])
    expect((await catalog.state(known)).components).toBe(0);
  const state = await catalog.state({ epoch, position: feed.position + 1 });
  expect([state.components, states]).toEqual([1, [state]]);
  unwatch();
  await other.upsertLocal([component('b')]);
  expect((await catalog.state({ epoch, position: feed.position + 2 })).components).toBe(2);
  expect(states).toHaveLength(1);
});
