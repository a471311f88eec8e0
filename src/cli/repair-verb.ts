import { join } from 'node:path';
import { createVocabulary } from '../component/vocabulary.js';
import { RECORD_LAYOUT } from '../connection/records/records.js';
import { systemClock } from '../lib/clock.js';
import { systemPace } from '../lib/pace.js';
import { repairDatabase } from '../store/disk/repair/repair.js';
import { reconcileRecords } from '../store/disk/repair/repair-records.js';
import { reconcileRegistry } from '../store/disk/repair/repair-registry.js';
import { repairText } from '../store/disk/repair/repair-report.js';
import { recordOnCommandLine } from './command-audit.js';
import { type ConfigOptions, configFrom } from './config-options.js';
import type { Terminal } from './terminal.js';

export interface RepairOptions extends ConfigOptions {
  readonly apply?: true;
}

/** Says what is damaged, and repairs it when told to. The exit code is 1 while damage is left. */
export async function run(options: RepairOptions, { say, note }: Terminal): Promise<number> {
  const config = configFrom(options);
  const { dataDir, vocabulary } = config;
  const { apply = false } = options;
  const suffix = new Date(systemClock.now()).toISOString().replace(/[:.]/g, '-');
  const given = { clock: systemClock, pace: systemPace };
  const databases = {
    registry: reconcileRegistry({ ...given, vocabulary: createVocabulary(vocabulary) }),
    connection: reconcileRecords(RECORD_LAYOUT, given),
  };
  let unrepaired = 0;
  for (const [name, reconcile] of Object.entries(databases)) {
    const directory = join(dataDir, name);
    const outcome = await repairDatabase(directory, { apply, reconcile, suffix, pace: systemPace });
    say(repairText(directory, outcome));
    const deed = { what: 'repaired the data', subjects: [directory] };
    if (outcome?.kept) recordOnCommandLine(deed, config, note);
    if (outcome && outcome.findings.damaged.length > 0 && !outcome.kept) unrepaired += 1;
  }
  return unrepaired === 0 ? 0 : 1;
}
