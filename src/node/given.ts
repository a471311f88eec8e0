import type { Config } from '../config.js';
import type { Place } from '../keep/keep.js';
import { type Clock, type Random, systemClock } from '../lib/clock.js';
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
import { cronTimetable, type Timetable } from '../lib/timetable.js';
import { VERSION } from '../lib/version.js';
import { PINNING_TIMES, type PinningTimes } from '../sync/pinning/pinner.js';
import { type DatabaseConfig, type PlaceGiven, storePlaceOf } from './store-place.js';

/** Everything that varies between a node in production, one in a test and one in a simulated network. */
export interface Given {
  readonly clock: Clock;
  readonly random: Random;
  /** How long work may run before it gives way. */
  readonly pace: Pace;
  readonly log: Log;
  /** Opens what the services of the node are stored in, under a data directory. */
  readonly openPlace: (dataDir: string, given: PlaceGiven) => Promise<Place>;
  /** Makes what every outgoing request goes through. */
  readonly fetch: (options: GuardedFetchOptions) => ClosableFetch;
  /** When polls happen, from the cron expression of the configuration. */
  readonly timetable: (schedule: string) => Timetable;
  /** When modules are fetched to be pinned. */
  readonly pinningTimes: PinningTimes;
  readonly listen: Listen;
  /** Does a node tell figures of its process? Not where hundreds of nodes are one process. */
  readonly processMetrics: boolean;
  /** Where what strangers wrote is parsed: documents of `sync.maxBytes` at most. */
  readonly pool: (sync: Pick<Config['sync'], 'maxBytes'>) => ClosablePool;
}

/** The bounds of every outgoing request. */
export function fetchOptions({ baseUrl, network, sync }: Config): GuardedFetchOptions {
  return {
    // RFC 9110, section 10.1.5: names the node to the servers that it reads.
    userAgent: `component-registry-node/${VERSION} (+${baseUrl})`,
    allowPrivate: network.allowPrivate,
    maxBytes: sync.maxBytes,
    timeoutMs: sync.timeoutSeconds * 1000,
  };
}

/** What a node runs with in production. */
export function production(config: DatabaseConfig & Pick<Config, 'log'>): Given {
  const { log } = config;
  return {
    clock: systemClock,
    random: Math.random,
    pace: systemPace,
    log: createLog({ level: log.level }),
    openPlace: storePlaceOf(config),
    fetch: createGuardedFetch,
    timetable: (expression) => cronTimetable(expression, systemClock),
    pinningTimes: PINNING_TIMES,
    processMetrics: true,
    listen: listenOnNetwork,
    pool: ({ maxBytes }) =>
      new WorkerPool({ clock: systemClock, pace: systemPace, heapMb: heapFor(maxBytes) }),
  };
}
