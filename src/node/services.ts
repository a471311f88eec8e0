import type { Hono } from 'hono';
import type { Source } from '../component/precedence.js';
import type { Vocabulary } from '../component/vocabulary.js';
import type { Config } from '../config.js';
import { type ConnectionService, createConnectionService } from '../connection/app.js';
import type { Samples } from '../demo/samples.js';
import { createRegistryApp } from '../http/app.js';
import type { EventLines } from '../http/feed/event-lines.js';
import type { ListScopes } from '../http/network/list-scopes.js';
import type { FailingStore } from '../http/operations/failing-stores.js';
import { storesFailing } from '../http/operations/failing-stores.js';
import { createMetrics, type Metrics } from '../http/operations/metrics.js';
import { problemPages } from '../http/pages/problems.js';
import type { Audit } from '../lib/audit.js';
import type { GuardedFetch } from '../lib/fetch/guarded-fetch.js';
import type { ResponseCache } from '../lib/http/cache/response-cache.js';
import { addFallback } from '../lib/http/resource.js';
import type { ClosablePool } from '../lib/pool/task.js';
import { VERSION } from '../lib/version.js';
import { lintUrl } from '../lint/lint-document.js';
import { NO_ACTIVITY } from '../registry/activity.js';
import type { Health } from '../registry/health.js';
import { NO_PINNING, type Pinning } from '../registry/pinning.js';
import type { Reader } from '../registry/reader.js';
import { NO_REFUSALS, type Refusals } from '../registry/refusal.js';
import type { OpenRegistry } from '../registry/registry.js';
import { sourceStatuses } from '../registry/source-status.js';
import type { State } from '../registry/state.js';
import type { RegistryStore } from '../store/registry-store.js';
import type { Pinner } from '../sync/pinning/pinner.js';
import type { Synchronisation } from '../sync/synchronisation.js';
import { assetsIn } from '../web/asset.js';
import type { Given } from './given.js';
import { precedenceIn, rehearse } from './rehearse.js';

/** Two levels above this file when it is built, and when it runs from the sources. */
export const PACKAGE_FOLDER = new URL('../../', import.meta.url);

/** Components that a rehearsal in a running node looks at: each takes about 3 kB, and time in which others wait. */
const REHEARSED = 20_000;

/** What changes while a node starts and stops, and is asked for by requests. */
export interface NodeState {
  health: Health;
  open?: OpenRegistry;
  /** Absent on a mirror, which shows what its peers show. */
  samples?: Samples;
  sync?: Synchronisation;
  pinner?: Pinner | undefined;
  /** The state of the registry that readers see. */
  shown?: State;
  stopAccepting?: () => void;
  /** Counts a request that was answered before it reached a service. */
  refused?: (status: number) => void;
}

export interface ServiceParts
  extends Pick<Given, 'clock' | 'random' | 'pace' | 'log' | 'openRecords' | 'processMetrics'> {
  readonly pool: ClosablePool;
  /** With the port that it listens on. */
  readonly config: Config;
  readonly vocabulary: Vocabulary;
  readonly fetch: GuardedFetch;
  readonly cache: ResponseCache;
  readonly audit: Audit;
  readonly store: RegistryStore;
  readonly state: NodeState;
  /** The nodes that read this one. */
  readonly readers: () => readonly Reader[];
  readonly eventLines: EventLines;
  readonly listScopes: ListScopes;
}

export interface Services {
  readonly metrics: Metrics;
  readonly connection: ConnectionService | undefined;
}

/** Mounts the registry, and the connection service unless it is off, on the outermost router. */
export function mountServices(root: Hono, parts: ServiceParts): Services {
  const { config, state, store, log } = parts;
  const status = () => statusOf(config, state);
  const failingStores = () => storesFailing({ registry: store.trouble, connection: connection?.trouble() });
  const metrics = createMetrics({
    ...{ status, failingStores, cache: parts.cache, readers: parts.readers },
    catalog: () => state.open?.catalog,
    refusals: () => refusalsOf(state),
    pinning: () => pinningOf(config, state),
    lines: () => state.sync?.lines ?? { open: 0, hints: 0 },
    pool: parts.pool.figures,
    ofProcess: parts.processMetrics,
  });
  // Without src/connection/ and what names it here, in given.ts and in main.ts, the connection service is gone.
  const connection = config.connection.enabled
    ? createConnectionService({
        ...parts,
        routeMetrics: metrics.routeMetrics,
        node: () => ({ baseUrl: config.baseUrl, version: VERSION, health: healthOf(state) }),
      })
    : undefined;
  if (connection) root.route(config.connection.path, connection.app);
  root.route('/', registryApp(parts, { metrics, status, failingStores, connection }));
  const problemPage = problemPages({
    ...{ config, baseUrl: config.baseUrl, version: VERSION },
    health: () => healthOf(state),
    refusals: () => refusalsOf(state),
    samples: () => state.samples,
  });
  addFallback(root, { log, routeMetrics: metrics.routeMetrics, problemPage });
  return { metrics, connection };
}

interface Reports extends Services {
  readonly status: () => ReturnType<typeof statusOf>;
  readonly failingStores: () => readonly FailingStore[];
}

function registryApp(parts: ServiceParts, { connection, ...reports }: Reports): Hono {
  const { config, fetch, vocabulary, pool, state } = parts;
  const refusals = () => refusalsOf(state);
  const open = () => openIn(state);
  return createRegistryApp({
    ...parts,
    ...reports,
    registry: () => open().registry,
    catalog: () => open().catalog,
    health: () => healthOf(state),
    sync: async (url, options) => (await state.sync?.pollNow(url, options)) ?? [],
    activity: () => state.sync?.activity ?? NO_ACTIVITY,
    hint: (topic) => state.sync?.hint(topic),
    decide: async (url, decision) => state.sync?.decide(url, decision),
    refusals,
    rehearse: (url, signal) => rehearse(url, { ...parts, current: open() }, { signal, most: REHEARSED }),
    pinning: () => pinningOf(config, state),
    precedence: precedenceIn(config),
    openApi: connection ? [connection.openApi] : [],
    // The URL is a stranger's, and so are the addresses behind it.
    lint: (url, signal) =>
      lintUrl(url, {
        ...{ fetch, vocabulary, trust: 'learned', maxModules: 5 },
        pinOf: async (subject) => (await open().pins.get([subject]))[0],
        parsing: { pool, lane: 'lint', signal },
      }),
    assets: assetsIn(new URL('dist/', PACKAGE_FOLDER)),
    packageFolder: PACKAGE_FOLDER,
    ...(config.mode === 'registry' ? { samples: () => state.samples } : {}),
    version: VERSION,
  });
}

/** What is there as soon as the node is loaded. */
export function openIn({ open }: NodeState): OpenRegistry {
  if (!open) throw new Error('the registry is asked for before it is loaded');
  return open;
}

/** A node that is stopped while it loads has nothing to answer from either. */
function healthOf({ open, health }: NodeState): Health {
  return open ? health : 'loading';
}

function refusalsOf({ sync }: { readonly sync?: Synchronisation | undefined }): Refusals {
  return sync?.refusals ?? NO_REFUSALS;
}

async function pinningOf({ pins: mode }: Config, { open, pinner }: NodeState): Promise<Pinning> {
  if (!open) return { ...NO_PINNING, mode };
  const counts = await open.pins.counts();
  const examples = await open.pins.list({ changed: true, limit: 100 });
  return { mode, ...counts, examples, failing: pinner?.failing ?? [] };
}

async function statusOf(config: Config, { open, sync }: NodeState) {
  if (!open) return [];
  const precedence = precedenceIn(config);
  const [stored, network] = [await open.registry.sources(), await open.catalog.network()];
  const hears = (source: Source) => sync?.hears(source) ?? false;
  const { unmeantBy } = refusalsOf({ sync });
  return sourceStatuses(stored, network, precedence, sync?.sources ?? []).map((status) => {
    const refused = status.kind === 'peer' ? unmeantBy[status.url] : undefined;
    return {
      ...status,
      ...(hears(status) ? { live: true as const } : {}),
      ...(refused === undefined ? {} : { refused }),
    };
  });
}
