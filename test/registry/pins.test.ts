import { beforeEach, describe, expect, it } from 'vitest';
import type { State } from '../../src/catalog/catalog.js';
import type { StoredPin } from '../../src/core/pins.js';
import type { MemoryData } from '../../src/keep/memory/memory-keep.js';
import { systemClock } from '../../src/lib/clock.js';
import { watchWrites } from '../support/commits.js';
import { component, memoryData, memoryRegistry, type TestRegistry } from '../support/registry.js';
import { ORDER, POD_A, POD_B } from './sources.js';

const one = component('one', { version: '1.0.0' });
const DAY = 86_400_000;
let data: MemoryData;
let registry: TestRegistry;
let now: number;

async function open(): Promise<void> {
  registry = await memoryRegistry({ order: ORDER, clock: { ...systemClock, now: () => now } }, data);
}

/** As seen first for what `POD_A` says. */
const pin = (bytes: string, more: Partial<StoredPin> = {}): StoredPin => ({
  ...{ uri: one.uri, version: '1.0.0', source: POD_A },
  ...{ first: `sha384-${bytes}`, last: `sha384-${bytes}`, since: 1, checked: 1 },
  ...more,
});
const CHANGED = pin('a', { last: 'sha384-b', changedAt: 5 });

beforeEach(async () => {
  [data, now] = [memoryData(), Date.UTC(2026, 10, 22)];
  await open();
});

describe('a pin', () => {
  /** What the feed tells from then on, each with its pin. */
  async function toldOf(pins: readonly StoredPin[]) {
    const { feed } = await registry.state();
    await registry.setPins(pins);
    const { changes } = await registry.changes({ after: feed.position });
    return changes.map(({ source, pin: news }) => [source.url, news]);
  }

  it('moves the revision where readers see another one, and the position only where bytes have changed', async () => {
    const began = now;
    await registry.say(POD_A, [one]);
    const moved = async (next: StoredPin) => {
      now += DAY;
      const [{ revision, feed }] = [await registry.state()];
      await registry.setPins([next]);
      const after = await registry.state();
      return [after.revision.number - revision.number, after.feed.position - feed.position];
    };
    expect(await moved(pin('a'))).toEqual([1, 0]);
    expect(await moved(pin('a', { checked: 2 }))).toEqual([0, 0]);
    expect(await moved(CHANGED)).toEqual([1, 1]);
    expect(await moved({ ...CHANGED, last: 'sha384-c' })).toEqual([1, 0]);
    expect(await moved(pin('a'))).toEqual([1, 1]);
    // Since when it is said stays what it was.
    expect((await registry.everything()).map((said) => said.since)).toEqual([began]);
  });

  it('tells of what is served, and not of what somebody else says of the same module', async () => {
    await registry.say(POD_A, [one]);
    await registry.say(POD_B, [one]);
    expect(await toldOf([CHANGED])).toEqual([[POD_A.url, { integrity: 'sha384-a', changed: 'sha384-b' }]]);
  });

  it('that stays what it was is not written again', async () => {
    await registry.setPins([pin('a')]);
    const [known] = await registry.pins.list({});
    const written: number[] = [];
    watchWrites(registry, ({ rows }) => written.push(rows?.length ?? 0));
    await registry.pins.change([one], (_, before) => before);
    await registry.setPins([known as StoredPin, pin('a', { version: '2.0.0' })]);
    expect(written).toEqual([1]);
  });
});

it('pins are told by the feed when bytes have changed, and not once more when they are others again', async () => {
  const told = async ({ position }: Pick<State['feed'], 'position'>) => {
    const { changes } = await registry.changes({ after: position });
    return changes.map(({ uri, isUpdate, pin: news }) => [uri, isUpdate, news]);
  };
  await registry.say(POD_A, [one]);
  await registry.setPins([pin('a')]);
  expect(await told({ position: 0 })).toEqual([[one.uri, false, undefined]]);
  const { feed: first } = await registry.state();
  await registry.setPins([CHANGED]);
  expect(await told(first)).toEqual([[one.uri, true, { integrity: 'sha384-a', changed: 'sha384-b' }]]);
  const { feed: second } = await registry.state();
  await registry.setPins([{ ...CHANGED, last: 'sha384-c' }]);
  expect(await told(second)).toEqual([]);
  await registry.setPins([pin('a')]);
  const { feed: third } = await registry.state();
  // Another file that the module imports is told, too.
  const files = [{ uri: 'https://one.example/a.js', integrity: 'sha384-d', changed: 'sha384-e' }];
  await registry.setPins([pin('a', { files, changedAt: 6 })]);
  expect(await told(third)).toEqual([[one.uri, true, { integrity: 'sha384-a', files }]]);
});

it('pins of what nobody has described for 180 days are forgotten, however long ago it was looked at', async () => {
  const began = now;
  await registry.say(POD_A, [one]);
  await registry.say(POD_B, [{ ...one, version: '1.1.0' }]);
  const versions = ['0.9.0', '1.0.0', '1.1.0'];
  await registry.setPins(versions.map((version) => pin('a', { version, checked: began })));
  for (const [day, said, left] of [
    [0, undefined, versions],
    [179, [], versions],
    [181, [one], ['1.0.0', '1.1.0']],
    [300, [], ['1.0.0', '1.1.0']],
    [320, undefined, ['1.0.0', '1.1.0']],
    [499, undefined, ['1.0.0', '1.1.0']],
    [501, undefined, ['1.1.0']],
  ] as const) {
    now = began + day * DAY;
    await registry.pins.forgetUnused();
    await open();
    expect([day, (await registry.pins.list({})).map(({ version }) => version)]).toEqual([day, left]);
    if (said) await registry.say(POD_A, said);
  }
});

it('pins of modules that nobody describes are so many: those go first that have been so for longest', async () => {
  const unused = (i: number): StoredPin =>
    pin('a', { uri: `https://c.example/${i}.js`, unusedSince: now - i });
  await registry.setPins(Array.from({ length: 50_002 }, (_, i) => unused(i)));
  await registry.pins.forgetUnused();
  expect(await registry.pins.counts()).toEqual({ all: 50_000, changed: 0 });
  expect(await registry.pins.get([unused(50_001), unused(0)])).toEqual([undefined, unused(0)]);
});
