import type { LogTo } from '../../lib/log.js';
import { NO_WRITES } from '../checked-writes.js';
import { KeepDamaged, KeepUnusable } from '../faults.js';
import { type Place, SERVICES } from '../keep.js';
import { LocalService } from '../local-service.js';
import { type EngineOptions, firstHead, placeOf } from '../service-keep.js';
import { missingCommits } from './acknowledged.js';
import { type Level, openLevel, readFault } from './level-files.js';
import { LevelStore } from './level-store.js';
import { LevelWriter } from './level-writer.js';
import { HEAD, rowKey, SCHEMA, SCHEMA_KEY } from './row-keys.js';

/** Commits whose keys are remembered, which may be 20,000 each: the one node that writes knows its latest one. */
const REMEMBERED = 16;

export interface LevelOptions extends EngineOptions {
  readonly log: LogTo<'info' | 'warn'>;
}

/**
 * Opens the data in a directory, rows and quads in one LevelDB database, and makes it when there is none. It belongs to one process.
 * @throws KeepDamaged; KeepUnusable where another process uses it, and for the layout of another version
 */
export async function openLevelPlace(directory: string, options: LevelOptions): Promise<Place> {
  const level = await openLevel(directory);
  try {
    await checkSchema(level);
  } catch (error) {
    await level.close();
    throw readFault(level, error);
  }
  const writer = new LevelWriter(level, options);
  return placeOf({
    ...options,
    isShared: false,
    isQuadstore: true,
    engine: (service) => openService(service, level, writer, options),
    close: () => writer.close(),
  });
}

async function openService(
  service: string,
  level: Level,
  writer: LevelWriter,
  options: LevelOptions,
): Promise<LocalService> {
  const { pace, unique } = options;
  const store = new LevelStore({ level, writer, pace, service });
  const known = await store.head();
  const missing = await missingCommits(level.location, service, known?.version ?? 0);
  if (missing) throw new KeepDamaged(level.location, missing);
  const head = known ?? firstHead(unique);
  if (!known) await store.write(NO_WRITES, head);
  return new LocalService(store, head, { ...options, remembered: REMEMBERED });
}

/** Refuses the layout of another version; notes this one in a new database. @throws KeepDamaged, KeepUnusable */
async function checkSchema(level: Level): Promise<void> {
  const found = await level.get(SCHEMA_KEY);
  if (found === SCHEMA) return;
  const heads = await level.getMany(SERVICES.map((service) => rowKey({ service, ...HEAD })));
  const isNone = found === undefined;
  if (isNone ? heads.some((head) => head !== undefined) : !/^\d+$/.test(found))
    throw new KeepDamaged(level.location, 'the note of the layout is not what was written');
  const [anything] = await level.keys({ limit: 1 }).all();
  if (anything !== undefined)
    throw new KeepUnusable(
      `The data in ${level.location} has the layout of another version of the software: ` +
        'export it with that version, set another dataDir, and import the file there',
    );
  await level.put(SCHEMA_KEY, SCHEMA, { sync: true } as object);
}
