import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Config } from '../config.js';
import {
  installKeySecret,
  KEY_FILE,
  KEY_SECRET_BYTES,
  readKeySecret,
} from '../connection/tokens/key-file.js';
import { type Clock, type Random, systemClock } from '../lib/clock.js';
import { type Lookup, osLookup } from '../lib/fetch/checked-lookup.js';
import {
  type ClosableFetch,
  createGuardedFetch,
  type GuardedFetchOptions,
} from '../lib/fetch/guarded-fetch.js';
import { type Listen, listenOnNetwork } from '../lib/http/server/server.js';
import { createLog, type Log } from '../lib/log.js';
import { type Pace, systemPace } from '../lib/pace.js';
import type { ClosablePool } from '../lib/pool/task.js';
import { heapFor, WorkerPool } from '../lib/pool/worker-pool.js';
import { makePrivate } from '../lib/private-files.js';
import { userAgentOf } from '../lib/user-agent.js';
import { VERSION } from '../lib/version.js';
import { openDiskStore } from '../store/disk/disk-store.js';
import { openDiskRecords } from '../store/disk/record-store.js';
import type { PostgresStoreOptions } from '../store/postgres/open-database.js';
import type { OpenRecords } from '../store/record-store.js';
import type { RegistryStore } from '../store/registry-store.js';
import type { PinningTimes } from '../sync/pinning/pin-round.js';
import { PINNING_TIMES } from '../sync/pinning/pinner.js';
import { cronTimetable, type Timetable } from '../sync/schedule/timetable.js';
import { PER_HOST } from '../sync/source-reader.js';

/** Everything that varies between a node in production, one in a test and one in a simulated network. */
export interface Given {
  readonly clock: Clock;
  readonly random: Random;
  /** How long work may run before it gives way. */
  readonly pace: Pace;
  readonly log: Log;
  /** Opens what the registry is stored in, under a data directory. */
  readonly openStore: (
    dataDir: string,
    options: { readonly clock: Clock; readonly pace: Pace; readonly log: Log },
  ) => Promise<RegistryStore>;
  /** Opens what the connection service is stored in, under the same directory. */
  readonly openRecords: OpenRecords;
  /** Makes what every outgoing request goes through. */
  readonly fetch: (options: GuardedFetchOptions) => ClosableFetch;
  /** When polls happen, from the cron expression of the configuration. */
  readonly timetable: (schedule: string) => Timetable;
  /** Resolves host names for outgoing requests. */
  readonly lookup: Lookup;
  /** When modules are fetched to be pinned. */
  readonly pinningTimes: PinningTimes;
  readonly listen: Listen;
  /** Does a node tell figures of its process? Not where hundreds of nodes are one process. */
  readonly processMetrics: boolean;
  /** Where what strangers wrote is parsed. */
  readonly pool: (options: PoolSize) => ClosablePool;
}

/** What the size of a pool follows from. */
export interface PoolSize {
  /** Bytes of the largest document that may come (`sync.maxBytes`). */
  readonly maxBytes: number;
}

/** The bounds of every outgoing request. */
export function fetchOptions(
  { baseUrl, network, sync }: Pick<Config, 'baseUrl' | 'network' | 'sync'>,
  { lookup }: Pick<Given, 'lookup'>,
): GuardedFetchOptions {
  return {
    userAgent: userAgentOf({ version: VERSION, url: baseUrl }),
    allowPrivate: network.allowPrivate,
    maxBytes: sync.maxBytes,
    timeoutMs: sync.timeoutSeconds * 1000,
    lookup,
    perHost: PER_HOST,
  };
}

type Storage = Pick<Given, 'openStore' | 'openRecords'>;

/** Names in the data directory that hold secrets. */
const PRIVATE = ['registry', 'connection', KEY_FILE];

function onDisk(): Storage {
  return {
    async openStore(dataDir, options) {
      await makePrivate(dataDir, PRIVATE, options.log);
      return openDiskStore(join(dataDir, 'registry'), options);
    },
    openRecords: (dataDir, options) => openDiskRecords(join(dataDir, 'connection'), options),
  };
}

type DatabaseConfig = Pick<Config, 'store' | 'storeUrl' | 'connection'>;

/** The engine and its client library are loaded when they are used: nodes with a disk of their own do without. */
function inDatabase(
  { store, storeUrl = '', connection }: DatabaseConfig,
  { alone }: ProductionOptions,
): Storage {
  const database = {
    url: storeUrl,
    statementMs: store.statementSeconds * 1000,
    clock: systemClock,
    random: Math.random,
    holder: alone ? randomUUID() : undefined,
  };
  return {
    async openStore(dataDir, { log }) {
      await makePrivate(dataDir, PRIVATE, log);
      const { openPostgresStore } = await import('../store/postgres/postgres-store.js');
      if (connection.enabled) await shareKey(dataDir, { ...database, connections: 1, log });
      return openPostgresStore({ ...database, connections: store.connections, log });
    },
    async openRecords(_dataDir, options) {
      const { openPostgresRecords } = await import('../store/postgres/records/postgres-record-store.js');
      return openPostgresRecords({ ...database, connections: RECORD_CONNECTIONS, log: options.log }, options);
    },
  };
}

/** Connections to the database for the connection service. */
const RECORD_CONNECTIONS = 3;

/** Tokens and invite links that one node has made are good at all that share its database. */
async function shareKey(dataDir: string, options: PostgresStoreOptions): Promise<void> {
  const { sharedSecret } = await import('../store/postgres/records/shared-secret.js');
  const own = (await readKeySecret(dataDir)) ?? randomBytes(KEY_SECRET_BYTES);
  await installKeySecret(dataDir, await sharedSecret(options, own));
}

export interface ProductionOptions {
  /** May nobody else use the data meanwhile, not even where nodes share it? False when absent. */
  readonly alone?: boolean;
}

/** What a node runs with in production. */
export function production(
  config: DatabaseConfig & Pick<Config, 'log'>,
  options: ProductionOptions = {},
): Given {
  const { log } = config;
  return {
    clock: systemClock,
    random: Math.random,
    pace: systemPace,
    log: createLog({ level: log.level }),
    ...(config.store.engine === 'postgres' ? inDatabase(config, options) : onDisk()),
    fetch: createGuardedFetch,
    timetable: (expression) => cronTimetable(expression, systemClock),
    lookup: osLookup,
    pinningTimes: PINNING_TIMES,
    processMetrics: true,
    listen: listenOnNetwork,
    pool: ({ maxBytes }) => new WorkerPool({ clock: systemClock, heapMb: heapFor(maxBytes) }),
  };
}
