import { basename, join } from 'node:path';
import { type Config, loadConfig } from '../config.js';
import { mendRecords } from '../connection/records/mend-records.js';
import type { Place } from '../keep/keep.js';
import { type Repair, repairDirectory } from '../keep/level/repair.js';
import type { Findings, Salvage } from '../keep/salvage.js';
import { systemClock } from '../lib/clock.js';
import { createLog } from '../lib/log.js';
import { systemPace } from '../lib/pace.js';
import { VERSION } from '../lib/version.js';
import { STORE_FOLDER, unique } from '../node/store-place.js';
import { mendRegistry } from '../registry/mend-registry.js';
import { openConfiguredRegistry } from '../registry/open-registry.js';
import { recordOnCommandLine } from './command-audit.js';
import type { ConfigOptions, Terminal } from './terminal.js';

interface RepairOptions extends ConfigOptions {
  readonly apply?: true;
}

const given = { clock: systemClock, pace: systemPace, log: createLog({ level: 'silent' }) };

/** Says what is damaged, and repairs it when told to. The exit code is 1 while damage is left. */
export async function run(options: RepairOptions, { say, note }: Terminal): Promise<number> {
  const config = loadConfig({ file: options.config });
  if (config.store.engine !== 'disk')
    throw new Error(
      'the data of this node is in PostgreSQL, which has tools of its own to look for damage: ' +
        'restore a backup of the database; what it misses, nodes read again from its sources',
    );
  const { apply = false } = options;
  const directory = join(config.dataDir, STORE_FOLDER);
  const repair = await repairDirectory(directory, {
    ...given,
    apply,
    suffix: new Date(systemClock.now()).toISOString().replace(/[:.]/g, '-'),
    unique,
    mend: (place, salvage) => mended(place, salvage, config),
  });
  say(repairText(directory, repair));
  if (repair?.kept) recordOnCommandLine({ what: 'repaired the data', subjects: [directory] }, config, note);
  return repair && repair.damaged.length > 0 && !repair.kept ? 1 : 0;
}

/** What all services miss, and what has been made of the rest. */
async function mended(place: Place, salvage: Salvage, config: Config): Promise<Findings> {
  const lost = await mendRecords(salvage, await place.keep('connection'));
  const keep = await place.keep('registry');
  const open = await openConfiguredRegistry(keep, config, { ...given, version: VERSION });
  const registry = await mendRegistry(salvage, open);
  return { ...registry, lost: [...registry.lost, ...lost] };
}

/** Lines of one kind that are shown; of more, the number is told. */
const SHOWN = 20;

function repairText(directory: string, repair: Repair | undefined): string {
  if (!repair) return `${directory}: there is nothing`;
  const { damaged, rebuilt, lost, kept } = repair;
  if (damaged.length === 0) return `${directory}: nothing is damaged`;
  const end = kept
    ? `repaired; the damaged files are kept in ${basename(kept)} beside it: delete them when you do not need them`
    : 'nothing has been changed; to repair it, stop the node, and run the same command with --apply';
  return [
    `${directory}: damaged`,
    ...paragraph('damaged', damaged),
    ...paragraph(kept ? 'rebuilt' : 'can be rebuilt', rebuilt),
    ...paragraph('lost', lost),
    `  ${end}`,
  ].join('\n');
}

function paragraph(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [`  ${title}: nothing`];
  const more = lines.length > SHOWN ? [`    … and ${lines.length - SHOWN} more`] : [];
  return [`  ${title}:`, ...lines.slice(0, SHOWN).map((line) => `    ${line}`), ...more];
}
