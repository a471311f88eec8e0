import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Place } from '../../src/keep/keep.js';
import { openLevel } from '../../src/keep/level/level-files.js';
import { type LevelOptions, openLevelPlace } from '../../src/keep/level/level-keep.js';
import { rowKey } from '../../src/keep/level/row-keys.js';
import { systemClock } from '../../src/lib/clock.js';
import { systemPace } from '../../src/lib/pace.js';
import type { KeepEngine } from './contract.js';
import { uniqueTexts } from './unique-texts.js';

export const SILENT = { info: () => undefined, warn: () => undefined };

export function openedIn(directory: string, more: Partial<LevelOptions> = {}): Promise<Place> {
  const options = { clock: systemClock, pace: systemPace, unique: uniqueTexts(), log: SILENT };
  return openLevelPlace(directory, { ...options, ...more });
}

export async function levelEngine(): Promise<KeepEngine> {
  const directory = await mkdtemp(join(tmpdir(), 'registry-keep-'));
  let ahead = 0;
  const clock = { ...systemClock, now: () => systemClock.now() + ahead };
  return {
    isShared: false,
    open: () => openedIn(directory, { clock }),
    async expireLeases() {
      ahead += 16_000;
    },
    async damage(service, { table, key, value = '' }) {
      const level = await openLevel(directory);
      const name = rowKey({ service, table, key });
      const stored = (await level.get(name)) ?? '';
      await level.put(name, stored.slice(0, -value.length) + value);
      await level.close();
    },
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}
