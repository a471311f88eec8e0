import { MemoryData, openMemory } from '../../src/keep/memory/memory-keep.js';
import { systemClock } from '../../src/lib/clock.js';
import { keepContract } from './contract.js';
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
  };
}

keepContract('memory', inMemory, { canBeDamaged: false, canBeRestored: true });
