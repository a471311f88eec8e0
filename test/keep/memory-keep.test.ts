import { expect, it } from 'vitest';
import { HeadUnknown } from '../../src/keep/faults.js';
import { MemoryData, openMemory } from '../../src/keep/memory/memory-keep.js';
import { systemClock } from '../../src/lib/clock.js';
import { headOf, keepContract, row, rowsOf, write } from './contract.js';
import { uniqueTexts } from './unique-texts.js';

async function inMemory() {
  let ahead = 0;
  const clock = { ...systemClock, now: () => systemClock.now() + ahead };
  const data = new MemoryData({ clock, unique: uniqueTexts() });
  return {
    isShared: true,
    open: async () => openMemory(data, { clock }),
    async expireLeases() {
      ahead += 16_000;
    },
    remove: async () => undefined,
  };
}

keepContract('memory', inMemory, { canBeDamaged: false });

it('is what a backup had when that is restored, and those who know more find out', async () => {
  const data = new MemoryData({ clock: systemClock, unique: uniqueTexts() });
  const keep = await openMemory(data, { clock: systemClock }).keep('registry');
  await write(keep, { rows: [row('a', '1')] });
  const backup = data.backup();
  const lost = await write(keep, { rows: [row('a', '2')] });
  data.restore(backup);
  expect(await rowsOf(keep)).toEqual([row('a', '1')]);
  const overtaken = await write(keep, { rows: [row('b', '3')] });
  expect(overtaken.version).toBe(lost.version);
  await expect(keep.commit(lost, () => undefined)).rejects.toThrow(HeadUnknown);
  expect((await headOf(keep)).epoch).not.toBe(lost.epoch);
});
