import pg from 'pg';
import { systemClock } from '../../src/lib/clock.js';
import type { PostgresStoreOptions } from '../../src/store/postgres/open-database.js';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.js';
import type { RegistryStore, StoreLog } from '../../src/store/registry-store.js';
import { precedence } from '../registry/sources.js';
import type { Engine } from './engines.js';
import { COMMIT, CuttingProxy } from './proxy/cutting-proxy.js';
import { registryOptions, TestRegistry } from './registry.js';
import { newDatabase } from './shared-postgres.js';

const QUIET: StoreLog = { warn: () => undefined };

/** A store in a database, as a node opens it. */
export function openTestStore(url: string, more: Partial<PostgresStoreOptions> = {}): Promise<RegistryStore> {
  const limits = { connections: 6, statementMs: 30_000 };
  return openPostgresStore({ url, ...limits, clock: systemClock, random: Math.random, log: QUIET, ...more });
}

/**
 * Engines on one database of their own: making a database takes longer than emptying one, so each engine gets it empty.
 * To be called in the test file, where it is decided which file they belong to.
 */
export function postgresEngines(): () => Promise<Engine> {
  let place: Promise<{ url: string; pool: pg.Pool }> | undefined;
  return async () => {
    place ??= openPlace();
    const { url, pool } = await place;
    return {
      holdsJson: false,
      open: async (options) =>
        new TestRegistry(await (await openTestStore(url)).load(registryOptions(options))),
      breakable: async () => {
        const { proxy, url: through } = await CuttingProxy.to(url);
        const store = await openTestStore(through, { patienceMs: 300 });
        const breakCommits = (how: 'refused' | 'unsettled') => {
          if (how === 'unsettled') proxy.cutNext(COMMIT, 'answer', { isLast: true });
          else proxy.refusing = true;
          return () => {
            proxy.refusing = false;
          };
        };
        return {
          registry: new TestRegistry(await store.load(registryOptions({ precedence }))),
          breakCommits,
        };
      },
      remove: () => empty(pool),
    };
  };
}

async function openPlace() {
  const url = await newDatabase();
  return { url, pool: new pg.Pool({ connectionString: url, max: 1, allowExitOnIdle: true }) };
}

const TABLES = [
  'head',
  'source',
  'source_hash',
  'document',
  'statement',
  'pin',
  'posting',
  'tombstone',
  'term_count',
  'state',
  'node',
  'lease',
  'claim',
];

async function empty(pool: pg.Pool): Promise<void> {
  await pool.query(TABLES.map((name) => `DELETE FROM registry.${name}`).join(';'));
}
