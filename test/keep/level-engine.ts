import type { Place } from '../../src/keep/keep.js';
import { type Level, openLevel } from '../../src/keep/level/level-files.js';
import { type LevelOptions, openLevelPlace } from '../../src/keep/level/level-keep.js';
import { type Repair, type RepairOptions, repairDirectory } from '../../src/keep/level/repair.js';
import { rowKey } from '../../src/keep/level/row-keys.js';
import { systemClock } from '../../src/lib/clock.js';
import { systemPace } from '../../src/lib/pace.js';
import { tempDir } from '../support/temp-dir.js';
import type { KeepEngine } from './contract.js';
import { uniqueTexts } from './unique-texts.js';

export const SILENT = { info: () => undefined, warn: () => undefined };
const OPTIONS = { clock: systemClock, pace: systemPace, unique: uniqueTexts(), log: SILENT };

export function openedIn(directory: string, more: Partial<LevelOptions> = {}): Promise<Place> {
  return openLevelPlace(directory, { ...OPTIONS, ...more });
}

/** @param apply false: only looks */
export function repaired(
  directory: string,
  mend: RepairOptions['mend'],
  apply = true,
): Promise<Repair | undefined> {
  return repairDirectory(directory, { ...OPTIONS, apply, suffix: 'then', mend });
}

/** Does something to the database of a directory that nobody else has open. */
export async function onLevel(directory: string, task: (level: Level) => Promise<unknown>): Promise<void> {
  const level = await openLevel(directory);
  await task(level);
  await level.close();
}

export async function levelEngine(): Promise<KeepEngine> {
  const directory = await tempDir();
  let ahead = 0;
  const clock = { ...systemClock, now: () => systemClock.now() + ahead };
  return {
    isShared: false,
    open: () => openedIn(directory, { clock }),
    async expireLeases() {
      ahead += 16_000;
    },
    async damage(service, { table, key, value = '' }) {
      await onLevel(directory, async (level) => {
        const name = rowKey({ service, table, key });
        const stored = (await level.get(name)) ?? '';
        await level.put(name, stored.slice(0, -value.length) + value);
      });
    },
  };
}
