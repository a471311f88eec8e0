import { MemoryData, openMemory } from '../../src/keep/memory/memory-keep.js';
import { systemClock } from '../../src/lib/clock.js';
import type { KeepEngine } from './contract.js';
import { uniqueTexts } from './unique-texts.js';

export async function memoryEngine(): Promise<KeepEngine> {
  let ahead = 0;
  const clock = { ...systemClock, now: () => systemClock.now() + ahead };
  const data = new MemoryData({ clock, unique: uniqueTexts() });
  return {
    isShared: true,
    open: async () => openMemory(data, { clock, isShared: true }),
    async expireLeases() {
      ahead += 16_000;
    },
    async backup() {
      const backup = data.backup();
      return async () => data.restore(backup);
    },
  };
}
