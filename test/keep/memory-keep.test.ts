import { setImmediate } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { HeadUnknown } from '../../src/keep/faults.js';
import { MemoryData, openMemory } from '../../src/keep/memory/memory-keep.js';
import { systemClock } from '../../src/lib/clock.js';
import { keepContract, row, write } from './contract.js';
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
    async backup() {
      const backup = data.backup();
      return async () => data.restore(backup);
    },
    remove: async () => undefined,
  };
}

keepContract('memory', inMemory, { canBeDamaged: false, canBeRestored: true });

it('is not closed before a commit has begun another epoch', async () => {
  const data = new MemoryData({ clock: systemClock, unique: uniqueTexts() });
  const place = openMemory(data, { clock: systemClock });
  const keep = await place.keep('connection');
  const backup = data.backup();
  const lost = await write(keep, { rows: [row('a', '1')] });
  data.restore(backup);
  const { store } = data.service('connection').content;
  const ended: string[] = [];
  const written = store.write.bind(store);
  vi.spyOn(store, 'write').mockImplementation(async (...asked) => {
    void place.close().then(() => ended.push('closed'));
    // Closing would end within these turns, did it not wait.
    for (let turn = 0; turn < 20; turn++) await setImmediate();
    await written(...asked);
    ended.push('written');
  });
  await expect(keep.commit(lost, () => undefined)).rejects.toThrow(HeadUnknown);
  await vi.waitFor(() => expect(ended).toEqual(['written', 'closed']));
});
