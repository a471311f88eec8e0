import { afterEach, describe, expect, it } from 'vitest';
import { LOCAL } from '../../../src/component/source.js';
import { openMemory } from '../../../src/keep/memory/memory-keep.js';
import { systemClock } from '../../../src/lib/clock.js';
import { type Decision, decide, decisionsIn } from '../../../src/sync/discovery/decisions.js';
import { memoryData, openRegistry, type TestRegistry } from '../../support/registry.js';
import { expectSoon } from '../../support/wait-for.js';

/** Decisions of operators are made at the same time, and by several nodes on one registry. */
describe.each([1, 2])('decisions on %i nodes', (count) => {
  let opened: readonly TestRegistry[] = [];
  afterEach(async () => {
    for (const node of opened) await node.close();
  });
  const open = async () => {
    const data = memoryData();
    const node = () => openRegistry(openMemory(data, { clock: systemClock, isShared: count > 1 }));
    opened = await Promise.all(Array.from({ length: count }, node));
    return opened.flatMap((one) => [one, one]);
  };
  const stored = async () => [...decisionsIn(await opened[0]?.source(LOCAL))].sort();

  it('that are made at once are all stored', async () => {
    const handles = await open();
    const made = Array.from({ length: 12 }, (_, i): [string, Decision] => [
      `https://n${String(i).padStart(2, '0')}.example`,
      i % 2 === 0 ? 'approve' : 'reject',
    ]);
    await Promise.all(
      made.map(([url, decision], i) => decide(handles[i % handles.length] as TestRegistry, url, decision)),
    );
    // A node hears of what others have decided within a second.
    await expectSoon(async () => expect(await stored()).toEqual(made));
    await Promise.all(
      made.slice(2).map(([url], i) => decide(handles[i % handles.length] as TestRegistry, url, undefined)),
    );
    await expectSoon(async () => expect(await stored()).toEqual(made.slice(0, 2)));
  });

  it('change nothing else that is remembered', async () => {
    const [node] = await open();
    if (!node) throw new Error('there is no node');
    await node.commit({
      source: LOCAL,
      documents: [],
      record: (record) => ({ ...record, memo: { other: 1 } }),
    });
    await decide(node, 'https://new.example', 'approve');
    expect((await node.source(LOCAL))?.record.memo).toMatchObject({ other: 1 });
  });
});
