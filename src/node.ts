import type { Server } from 'node:http';
import { join } from 'node:path';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import { LOCAL, precedenceOf } from './component/precedence.js';
import { createVocabulary } from './component/vocabulary.js';
import { type Config, listeningOn, type PodEntry } from './config.js';
import { type ConnectionService, createConnectionService } from './connection/app.js';
import { KEY_FILE } from './connection/key-file.js';
import { createRegistryApp, QUERY_PATH } from './http/app.js';
import { storesFailing } from './http/failing-stores.js';
import { createMetrics, type Metrics } from './http/metrics.js';
import type { Health } from './http/node-report.js';
import { sourceStatuses } from './http/source-status.js';
import { type Clock, type Random, systemClock } from './lib/clock.js';
import { type Lookup, osLookup } from './lib/fetch/checked-lookup.js';
import { createGuardedFetch, type GuardedFetch } from './lib/fetch/guarded-fetch.js';
import { HostQueues } from './lib/fetch/host-queues.js';
import { createPodCredentials } from './lib/fetch/solid-oidc.js';
import { AnswerCache } from './lib/http/answer-cache.js';
import { frontDesk } from './lib/http/front-desk.js';
import { behind, closeServer, listen } from './lib/http/http-server.js';
import { addFallback } from './lib/http/resource.js';
import { createLog, type Log } from './lib/log.js';
import { makePrivate } from './lib/private-files.js';
import { Unwinding } from './lib/unwinding.js';
import { VERSION } from './lib/version.js';
import { lintUrl } from './lint/lint-document.js';
import { UnusableData } from './store/damage.js';
import { openLevel } from './store/level.js';
import { refuseNewerSchema } from './store/load.js';
import { QuadStore } from './store/quad-store.js';
import { Registry } from './store/registry.js';
import { SCHEMA_VERSION } from './store/tables.js';
import type { Coverage } from './sync/discovery/coverage.js';
import { Network, type NetworkOptions } from './sync/discovery/network.js';
import { createPeerSource } from './sync/peer/peer-source.js';
import { createPodSource } from './sync/pod/pod-source.js';
import { createScheduler, type Scheduler } from './sync/schedule/scheduler.js';
import { cronTimetable } from './sync/schedule/timetable.js';
import { assetsIn } from './web/asset.js';

/** Requests in flight may take so long to finish once the node is told to stop, in ms. */
const REQUEST_GRACE_MS = 3000;
/** Polls, and requests, under way at once for one host. */
const PER_HOST = 2;
/** Bytes of answers that are kept to be given again: enough for the queries that pages really ask. */
const ANSWER_CACHE = { maxBytes: 32_000_000, maxAnswerBytes: 1_000_000 };

export interface Node {
  /** Resolves once the catalog is loaded and answers are given; rejects, with nothing left running, when it cannot. */
  start(): Promise<{ url: string }>;
  /** Stops accepting, finishes what is in flight, stops polls, closes the store. May be called at any time. */
  stop(): Promise<void>;
}

/** What a test may put in place of the real thing. */
export interface Overrides {
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Log;
  /** The resolver of host names, for what the node asks of others. */
  readonly lookup?: Lookup;
}

/** The composition root: everything that lives long is made here, and nowhere else. */
export function createNode(config: Config, overrides: Overrides = {}): Node {
  const parts: Parts = {
    ...{ clock: systemClock, random: Math.random, log: createLog(), lookup: osLookup, ...overrides },
    state: { health: 'loading' },
    unwinding: new Unwinding(),
  };
  return {
    async start() {
      try {
        return await start(config, parts);
      } catch (error) {
        await parts.unwinding.unwind();
        throw error;
      }
    },
    async stop() {
      parts.state.health = 'stopping';
      parts.state.server?.close();
      await parts.unwinding.unwind();
    },
  };
}

/** What changes while a node starts and stops, and is asked for by requests. */
interface State {
  health: Health;
  server?: Server;
  registry?: Registry;
  scheduler?: Scheduler;
  network?: Network;
  connection?: ConnectionService;
}

type Parts = Required<Overrides> & { readonly state: State; readonly unwinding: Unwinding };

/** The data is opened first, so that a directory in use is noticed before a port is; then loaded while 503 is answered. */
async function start(configured: Config, parts: Parts): Promise<{ url: string }> {
  const { log, state } = parts;
  const store = await openStore(configured, parts);
  const { config, fetch, metrics } = await serve(configured, parts);
  log.info({ url: config.baseUrl, version: VERSION }, 'loading');
  await state.connection?.start();
  state.registry = await openRegistry(store, config, parts);
  const scheduler = await startNetwork(state.registry, config, { ...parts, fetch, metrics });
  if (state.health === 'loading') state.health = 'serving';
  scheduler.start();
  // Whoever waits for this line finds answers, not a node that is still loading.
  log.info({ url: config.baseUrl, version: VERSION, components: state.registry.catalog.size }, 'listening');
  return { url: config.baseUrl };
}

async function openStore(config: Config, { unwinding, clock, log }: Parts): Promise<QuadStore> {
  await makePrivate(config.dataDir, ['registry', 'connection', KEY_FILE], log);
  const level = await openLevel(join(config.dataDir, 'registry'));
  const store = await QuadStore.open(level, { clock, log, schema: SCHEMA_VERSION });
  await unwinding.defer('the store', () => store.close());
  await refuseNewerSchema(store);
  return store;
}

interface Serving {
  /** With the port that it listens on. */
  readonly config: Config;
  readonly fetch: GuardedFetch;
  readonly metrics: Metrics;
}

async function serve(configured: Config, parts: Parts): Promise<Serving> {
  const { clock, lookup, state, unwinding } = parts;
  const root = new Hono({ strict: false });
  const cache = new AnswerCache(ANSWER_CACHE, () => state.registry?.revision);
  const createServer = behind((listener) => frontDesk(cache, QUERY_PATH, listener));
  const server = createAdaptorServer({ fetch: root.fetch, createServer }) as Server;
  const port = await listen(server, configured.listen.host, configured.listen.port);
  // Closed after the server, so that requests in flight are finished.
  await unwinding.defer('the connection service', () => state.connection?.close());
  await unwinding.defer('the HTTP server', () => closeServer(server, clock, REQUEST_GRACE_MS));
  state.server = server;
  const config = listeningOn(configured, port);
  const fetch = createGuardedFetch({
    userAgent: `component-registry-node/${VERSION} (+${config.baseUrl})`,
    allowPrivate: config.network.allowPrivate,
    maxBytes: config.sync.maxBytes,
    timeoutMs: config.sync.timeoutSeconds * 1000,
    lookup,
  });
  await unwinding.defer('the outgoing connections', () => fetch.close());
  return { config, fetch, metrics: mountServices(root, config, { ...parts, fetch, cache }) };
}

async function openRegistry(store: QuadStore, config: Config, { clock, random }: Parts): Promise<Registry> {
  const registry = await Registry.open(store, {
    baseUrl: config.baseUrl,
    vocabulary: createVocabulary(config.vocabulary),
    precedence: precedence(config),
    servedAs: JSON.stringify([
      VERSION,
      config.pods.map(({ url }) => url),
      config.peers.map(({ url }) => url),
    ]),
    clock,
    random,
  });
  refusePosted(registry, config);
  return registry;
}

/** Finds out whom the node knows, and what it has to poll. */
async function startNetwork(
  registry: Registry,
  config: Config,
  { clock, random, log, state, unwinding, fetch, metrics }: Parts & Omit<Serving, 'config'>,
): Promise<Scheduler> {
  const network: Network = new Network({
    config,
    registry,
    reader: sourceReader(config, { fetch, clock, coverage: () => network.coverage }),
    log,
  });
  const scheduler = createScheduler({
    timetable: cronTimetable(config.sync.schedule),
    concurrency: config.sync.concurrency,
    perHost: PER_HOST,
    registry,
    clock,
    random,
    log,
    onPoll: (report) => {
      metrics.polled(report);
      network.polled(report);
    },
  });
  await unwinding.defer('what polls found out', () => network.settled());
  await unwinding.defer('polls', () => scheduler.stop());
  await network.start(scheduler);
  Object.assign(state, { network, scheduler });
  return scheduler;
}

function mountServices(
  root: Hono,
  config: Config,
  { clock, log, state, fetch, cache }: Parts & { fetch: GuardedFetch; cache: AnswerCache },
): Metrics {
  const registry = () => {
    if (!state.registry) throw new Error('the registry is asked for before it is loaded');
    return state.registry;
  };
  const winners = precedence(config);
  const status = () =>
    state.registry ? sourceStatuses(state.registry, winners, state.network?.sources ?? []) : [];
  const failingStores = () =>
    storesFailing({ registry: state.registry?.trouble, connection: state.connection?.trouble() });
  const metrics = createMetrics({ registry: () => state.registry, status, failingStores, cache });
  // The connection service: without src/connection/ and what names it here and in main.ts, it is gone.
  if (config.connection.enabled) {
    state.connection = createConnectionService({ config, fetch, clock, log, watch: metrics.watch });
    root.route(config.connection.path, state.connection.app);
  }
  const app = createRegistryApp({
    config,
    registry,
    // A node that is stopped while it loads has nothing to answer from either.
    health: () => (state.registry ? state.health : 'loading'),
    status,
    failingStores,
    sync: async (url) => {
      const reports = (await state.scheduler?.pollNow(url)) ?? [];
      await state.network?.settled();
      return reports;
    },
    metrics,
    openApi: state.connection ? [state.connection.openApi] : [],
    // Whoever names the URL is a stranger, and so are the addresses behind it.
    lint: (url) =>
      lintUrl(url, {
        fetch,
        trust: 'learned',
        vocabulary: createVocabulary(config.vocabulary),
        maxModules: 5,
      }),
    // Also when this runs from the sources.
    assets: assetsIn(new URL('../dist/', import.meta.url)),
    cache,
    version: VERSION,
    clock,
    log,
  });
  root.route('/', app);
  addFallback(root, { log, watch: metrics.watch });
  return metrics;
}

interface ReaderParts {
  readonly fetch: GuardedFetch;
  readonly clock: Clock;
  readonly coverage: () => Coverage;
}

/** How each kind of source is read. */
function sourceReader(config: Config, { fetch, clock, coverage }: ReaderParts): NetworkOptions['reader'] {
  const vocabulary = createVocabulary(config.vocabulary);
  const { maxDocuments } = config.sync;
  const shared = { fetch, clock, vocabulary, maxDocuments, requests: new HostQueues(PER_HOST) };
  const peers = { self: config.baseUrl, mode: config.mode, coverage };
  return ({ kind, url }, trust) => {
    if (kind === 'peer') return createPeerSource({ ...shared, ...peers, url, trust });
    const pod = config.pods.find((entry) => entry.url === url);
    return createPodSource({ ...shared, url, trust, ...credentialsOf(pod, { fetch, clock }) });
  };
}

function credentialsOf(pod: PodEntry | undefined, parts: { fetch: GuardedFetch; clock: Clock }) {
  if (!pod?.credentials) return {};
  return { credentials: createPodCredentials({ ...parts, ...pod.credentials, trust: 'configured' }) };
}

function precedence(config: Config) {
  return precedenceOf({
    pods: config.pods.map(({ url }) => url),
    peers: config.peers.map(({ url }) => url),
  });
}

/** A mirror shows what its upstreams show; what was posted to a former node in its directory would be shown, too. */
function refusePosted(registry: Registry, { mode, dataDir }: Config): void {
  const posted = registry.source(LOCAL)?.documents.get(LOCAL.url)?.components ?? 0;
  if (mode !== 'mirror' || posted === 0) return;
  throw new UnusableData(
    `The data directory ${dataDir} holds ${posted} components that were posted to this node, and a mirror has none of its own: set another dataDir`,
  );
}
