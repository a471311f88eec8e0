import { expect, it } from 'vitest';
import { LOCAL } from '../../../src/component/source.js';
import { openMemory } from '../../../src/keep/memory/memory-keep.js';
import { systemClock } from '../../../src/lib/clock.js';
import { type Decision, decide, decisionsIn } from '../../../src/sync/discovery/decisions.js';
import { cleanup } from '../../support/cleanup.js';
import { memoryData, openRegistry } from '../../support/registry.js';
import { expectSoon } from '../../support/wait-for.js';

it('decisions that are made at once, at two nodes of one registry, are all stored, and change nothing else', async () => {
  const data = memoryData();
  const open = () => openRegistry(openMemory(data, { clock: systemClock, isShared: true }));
  const [one, other] = [await open(), await open()];
  for (const node of [one, other]) cleanup(() => node.close());
  await one.commit({ source: LOCAL, documents: [], record: (now) => ({ ...now, memo: { other: 1 } }) });
  const made = Array.from({ length: 12 }, (_, i): [string, Decision] => [
    `https://n${String(i).padStart(2, '0')}.example`,
    i % 2 === 0 ? 'approve' : 'reject',
  ]);
  const decideAll = (all: readonly [string, Decision | undefined][]) =>
    Promise.all(all.map(([url, decision], i) => decide(i % 3 === 0 ? other : one, url, decision)));
  const stored = async () => [...decisionsIn(await one.source(LOCAL))].sort();
  await decideAll(made);
  // A node hears of what others have decided within a second.
  await expectSoon(async () => expect(await stored()).toEqual(made));
  await decideAll(made.slice(2).map(([url]) => [url, undefined]));
  await expectSoon(async () => expect(await stored()).toEqual(made.slice(0, 2)));
  expect((await one.source(LOCAL))?.record.memo).toMatchObject({ other: 1 });
});
