import { setImmediate } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { HeadUnknown } from '../../src/keep/faults.js';
import { MemoryData, openMemory } from '../../src/keep/memory/memory-keep.js';
import { systemClock } from '../../src/lib/clock.js';
import { OutcomeUnknown, StorageFailure, StoreUnavailable } from '../../src/lib/faults.js';
import { headOf, keepContract, row, write } from './contract.js';
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

/** A keep whose data were put back from a backup: `next` asks its tail for what follows a commit that is lost. */
async function afterRestore() {
  const data = new MemoryData({ clock: systemClock, unique: uniqueTexts() });
  const place = openMemory(data, { clock: systemClock });
  const keep = await place.keep('connection');
  const backup = data.backup();
  const lost = await write(keep, { rows: [row('a', '1')] });
  data.restore(backup);
  const { store } = data.service('connection').content;
  const next = () => keep.tail(lost, new AbortController().signal)[Symbol.asyncIterator]().next();
  return { place, keep, store, lost, next };
}

keepContract('memory', inMemory, { canBeDamaged: false, canBeRestored: true });

it.each([StoreUnavailable, StorageFailure, OutcomeUnknown])(
  'a tail that notices another history waits until it can begin an epoch: %o',
  async (kind) => {
    const { place, keep, store, lost, next } = await afterRestore();
    vi.spyOn(store, 'write').mockRejectedValueOnce(new kind('Later'));
    await expect(next()).rejects.toThrow(HeadUnknown);
    expect((await headOf(keep)).epoch).not.toBe(lost.epoch);
    await place.close();
  },
);

it('is not closed before a tail has begun an epoch', async () => {
  const { place, store, next } = await afterRestore();
  const ended: string[] = [];
  const written = store.write.bind(store);
  vi.spyOn(store, 'write').mockImplementation(async (...asked) => {
    void place.close().then(() => ended.push('closed'));
    // Closing would end within these turns, did it not wait.
    for (let turn = 0; turn < 20; turn++) await setImmediate();
    await written(...asked);
    ended.push('written');
  });
  await expect(next()).rejects.toThrow(HeadUnknown);
  await vi.waitFor(() => expect(ended).toEqual(['written', 'closed']));
});
