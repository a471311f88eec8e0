import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createVocabulary } from '../component/vocabulary.js';
import { type Config, listeningOn } from '../config.js';
import type { Rehearsal } from '../explain/rehearsal.js';
import { InvalidInput } from '../lib/faults.js';
import { Unwinding } from '../lib/unwinding.js';
import { VERSION } from '../lib/version.js';
import { copyDatabase } from '../store/disk/database/snapshot.js';
import { openDiskStore } from '../store/disk/disk-store.js';
import { createMemoryStore } from '../store/memory/memory-store.js';
import { openRegistry } from '../store/open-registry.js';
import type { Given } from './given.js';
import { fetchOptions } from './given.js';
import { type RehearseOptions, rehearse } from './rehearse.js';

export type { RehearsalProgress } from './rehearse.js';

/**
 * Rehearses for a node that runs or does not: what it has is read from a copy of its data directory, which is removed
 * afterwards.
 */
export async function rehearseBeside(
  url: string,
  configured: Config,
  given: Given,
  options: RehearseOptions,
): Promise<Rehearsal> {
  // The public URL of a node without one follows from its port.
  const config = listeningOn(configured, configured.listen.port);
  // To open a database as a node does would change it.
  if (config.store.engine !== 'disk')
    throw new InvalidInput(
      'The data of this node is in a database: ask a node that runs, POST /rehearse',
      [],
    );
  const unwinding = new Unwinding();
  try {
    return await rehearse(url, await partsOf(config, given, unwinding), options);
  } finally {
    await unwinding.unwind();
  }
}

async function partsOf(config: Config, given: Given, unwinding: Unwinding) {
  const { clock, random, pace, log } = given;
  const folder = await mkdtemp(join(tmpdir(), 'rehearsal-'));
  await unwinding.defer('the copy of the data', () => rm(folder, { recursive: true, force: true }));
  const copy = join(folder, 'registry');
  const isThere = await copyDatabase(join(config.dataDir, 'registry'), copy);
  const store = isThere ? await openDiskStore(copy, { clock, pace, log }) : createMemoryStore();
  await unwinding.defer('the store', () => store.close());
  const vocabulary = createVocabulary(config.vocabulary);
  const current = await openRegistry(store, config, {
    version: VERSION,
    vocabulary,
    clock,
    random,
    pace,
    log,
  });
  const pool = given.pool(config.sync);
  await unwinding.defer('the workers that parse', () => pool.close());
  const fetch = given.fetch(fetchOptions(config, given));
  await unwinding.defer('the outgoing connections', () => fetch.close());
  return { config, current, vocabulary, pool, fetch, clock, random, pace, log };
}
