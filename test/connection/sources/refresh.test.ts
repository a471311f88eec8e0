import { expect, test } from 'vitest';
import type { Connection } from '../../../src/connection/records/connection.js';
import { changesIn, Records } from '../../../src/connection/records/records.js';
import { createRefresh } from '../../../src/connection/sources/refresh.js';
import { openMemory } from '../../../src/keep/memory/memory-keep.js';
import { systemClock } from '../../../src/lib/clock.js';
import { ALICE, BOB } from '../../acceptance/adapters/connection-app.js';
import { memoryData } from '../../support/registry.js';

const turns = async () => {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
};

test('few documents of one holder are read at once, however often a refresh is asked for', async () => {
  const keep = await openMemory(memoryData(), { clock: systemClock, isShared: false }).keep('connection');
  const underWay: (() => void)[] = [];
  const refresh = createRefresh({
    records: new Records(keep),
    change: changesIn(keep),
    read: () =>
      new Promise((resolve) => {
        underWay.push(() => resolve({ kind: 'failed', message: 'no' }));
      }),
    ...{ clock: systemClock, concurrency: 100 },
  });
  const connections = (holder: string, from: string): Connection[] =>
    Array.from({ length: 3 }, (_, i) => {
      const source = `https://${from}${i}.example/`;
      return { uri: `urn:${from}${i}`, configuration: {}, state: 'CONNECTED', source, holder };
    });
  const all = [refresh(connections(ALICE, 'a')), refresh(connections(ALICE, 'b'))];
  await turns();
  expect(underWay).toHaveLength(4);
  all.push(refresh(connections(BOB, 'c')));
  await turns();
  expect(underWay).toHaveLength(7);
  for (const end of underWay.splice(0)) end();
  await turns();
  expect(underWay).toHaveLength(2);
  for (const end of underWay.splice(0)) end();
  await Promise.all(all);
});
