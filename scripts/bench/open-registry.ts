import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createVocabulary } from '../../src/component/vocabulary.js';
import type { Place } from '../../src/keep/keep.js';
import { openLevelPlace } from '../../src/keep/level/level-keep.js';
import { openPostgresPlace } from '../../src/keep/postgres/postgres-place.js';
import { systemClock } from '../../src/lib/clock.js';
import { systemPace } from '../../src/lib/pace.js';
import { STORE_FOLDER } from '../../src/node/given.js';
import { openRegistry } from '../../src/registry/open-registry.js';
import type { Registry } from '../../src/registry/registry.js';

/** A registry, and what closes it with its place. */
export interface OpenedRegistry {
  readonly registry: Registry;
  readonly close: () => Promise<void>;
}

const log = { info: () => undefined, warn: console.warn };
const given = {
  clock: systemClock,
  pace: systemPace,
  unique: () => randomBytes(8).toString('hex'),
  log,
};

/** The registry in a data directory, as a node opens it. */
export async function openOnDisk(data: string): Promise<OpenedRegistry> {
  return registryIn(await openLevelPlace(join(data, STORE_FOLDER), given));
}

/** The registry in a database, as a node opens it that shares it with others. */
export async function openInDatabase(url: string): Promise<OpenedRegistry> {
  const limits = { connections: 4, statementMs: 120_000, random: Math.random };
  return registryIn(await openPostgresPlace({ ...given, ...limits, url }));
}

async function registryIn(place: Place): Promise<OpenedRegistry> {
  const { registry } = await openRegistry(await place.keep('registry'), {
    baseUrl: 'http://node.example',
    vocabulary: createVocabulary('http://semcom.digita.ai/voc#'),
    order: { pods: [], peers: [] },
    servedAs: '',
    isShared: place.isShared,
    clock: systemClock,
    pace: systemPace,
    log,
  });
  const close = async () => {
    await registry.close();
    await place.close();
  };
  return { registry, close };
}
