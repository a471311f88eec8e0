import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config.js';
import { KeepUnusable } from '../keep/faults.js';
import type { Place } from '../keep/keep.js';
import { openLevelPlace } from '../keep/level/level-keep.js';
import { systemClock } from '../lib/clock.js';
import { explain } from '../lib/faults.js';
import type { Log, LogTo } from '../lib/log.js';
import { unlessMissing } from '../lib/missing-file.js';
import type { Pace } from '../lib/pace.js';

/** What a place is opened with. */
export interface PlaceGiven {
  readonly pace: Pace;
  readonly log: Log;
  /** Aborted when the node is told to stop. */
  readonly stopping?: AbortSignal;
}

export type DatabaseConfig = Pick<Config, 'store' | 'storeUrl'>;

/** The name of the folder in the data directory. */
export const STORE_FOLDER = 'store';
/** The folder in which an import builds. */
export const DRAFT_FOLDER = 'importing';
/** Folders of version 0.2.0 and before. */
const FORMER = ['registry', 'connection'];

/** 16 random digits: too many to be drawn twice by chance. */
export const unique = () => randomBytes(8).toString('hex');

/** How nodes of a configuration open what their services are stored in. */
export function storePlaceOf({ store, storeUrl = '' }: DatabaseConfig) {
  return async (dataDir: string, { pace, log, stopping }: PlaceGiven): Promise<Place> => {
    await makePrivate(dataDir, log);
    const given = { clock: systemClock, random: Math.random, pace, unique, log, stopping };
    if (store.engine === 'postgres') {
      // Loaded here, with the client library of the database: nodes with a disk do without.
      const { openPostgresPlace } = await import('../keep/postgres/postgres-place.js');
      const { connections, statementSeconds } = store;
      const options = { url: storeUrl, connections, statementMs: statementSeconds * 1000 };
      return openPostgresPlace({ ...given, ...options });
    }
    await refuseMisplacedData(dataDir);
    const place = await openLevelPlace(join(dataDir, STORE_FOLDER), given);
    // Not beside a database, where an import may be under way: what a killed one has left goes with the next one.
    await removeDraft(dataDir, log);
    return place;
  };
}

/** What a killed import has left, with secrets in it. On disk, no other one runs once the place is open. */
async function removeDraft(dataDir: string, log: LogTo<'warn'>): Promise<void> {
  const path = join(dataDir, DRAFT_FOLDER);
  await rm(path, { recursive: true, force: true }).catch((error) =>
    log.warn({ path, error: explain(error) }, 'cannot remove what an import has left, which holds secrets'),
  );
}

/** Beside data that lies in another place, an empty registry would look as if everything were lost. @throws KeepUnusable */
export async function refuseMisplacedData(dataDir: string): Promise<void> {
  const names = (await readdir(dataDir).catch(unlessMissing)) ?? [];
  if (names.includes(STORE_FOLDER) || !FORMER.some((name) => names.includes(name))) return;
  throw new KeepUnusable(
    `The data in ${dataDir} was written by version 0.2.0 or before: export it with that version, ` +
      'set another dataDir, and import the file there',
  );
}

/** The bits of a file's mode for the group and for other users. */
const OTHERS = 0o077;

/**
 * Creates a directory unless it exists, and gives rights on it to its owner alone, because it holds secrets. The log warns of one
 * that others could have reached until now, and of one that belongs to another user, which cannot be changed.
 */
export async function makePrivate(directory: string, log: LogTo<'warn'>): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const { mode } = await stat(directory);
  if ((mode & OTHERS) === 0) return;
  const error = await chmod(directory, 0o700).catch(explain);
  const until = error === undefined ? 'until now' : 'and the node cannot change that';
  log.warn({ path: directory, error }, `other users of this machine could reach the data, ${until}`);
}
