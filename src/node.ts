import { Hono } from 'hono';
import { createVocabulary } from './component/vocabulary.js';
import { type Config, listeningOn } from './config.js';
import { Samples } from './demo/samples.js';
import { hostRule } from './http/access/own-origin.js';
import { QUERY_PATH } from './http/app.js';
import { EventLines } from './http/feed/event-lines.js';
import { stateTeller } from './http/feed/state-teller.js';
import { ListScopes } from './http/network/list-scopes.js';
import { Readers } from './http/operations/readers.js';
import { explain } from './lib/faults.js';
import { ResponseCache } from './lib/http/cache/response-cache.js';
import { Unwinding } from './lib/unwinding.js';
import { VERSION } from './lib/version.js';
import { fetchOptions, type Given, production } from './node/given.js';
import { mountServices, type NodeState, openIn, PACKAGE_FOLDER } from './node/services.js';
import type { State } from './registry/state.js';
import { openRegistry } from './store/open-registry.js';
import { Pinner } from './sync/pinning/pinner.js';
import { createSynchronisation } from './sync/synchronisation.js';

/** Bytes of responses that are stored to be sent again: enough for the queries that pages really ask. */
const RESPONSE_CACHE = { maxBytes: 32_000_000, maxResponseBytes: 1_000_000, queryPath: QUERY_PATH };

/** A node that answers: its public URL, and how many components it holds. */
export interface Started {
  readonly url: string;
  readonly components: number;
}

export interface NodeOptions {
  /** Does it show samples? When absent, it does if it did before, see `Samples.open`. */
  readonly demo?: boolean;
}

export interface Node {
  /** Resolves once the catalog is loaded and answers are given; rejects, with nothing left running, when it cannot. */
  start(): Promise<Started>;
  /** Stops accepting, finishes what is in flight, stops polls, closes the store. May be called at any time. */
  stop(): Promise<void>;
}

/**
 * The composition root: everything that lives long is made here, and nowhere else. `overrides` are put in the place of
 * what a node runs with in production; what they bring, the node closes.
 */
export function createNode(
  config: Config,
  overrides: Partial<Given> = {},
  { demo = false }: NodeOptions = {},
): Node {
  const given: Given = { ...production(config), ...overrides };
  const unwinding = new Unwinding();
  const state: NodeState = { health: 'loading' };
  return {
    async start() {
      try {
        return await start({ configured: config, demo }, given, state, unwinding);
      } catch (error) {
        await unwinding.unwind();
        throw error;
      }
    },
    async stop() {
      state.health = 'stopping';
      state.stopAccepting?.();
      await unwinding.unwind();
    },
  };
}

/** The data is opened first, so that a directory in use is noticed before a port is; then loaded while 503 is answered. */
async function start(
  { configured, demo }: { configured: Config } & Required<NodeOptions>,
  given: Given,
  state: NodeState,
  unwinding: Unwinding,
): Promise<Started> {
  const { clock, random, pace, log, openRecords, processMetrics } = given;
  const pool = given.pool(configured.sync);
  await unwinding.defer('the workers that parse', () => pool.close());
  const store = await given.openStore(configured.dataDir, { clock, pace, log });
  await unwinding.defer('the store', () => store.close());
  const audit = given.openAudit(configured.dataDir, { clock, log });

  const root = new Hono({ strict: false });
  const cache = new ResponseCache({ ...RESPONSE_CACHE, state: () => state.shown });
  const readers = new Readers(clock);
  const { host, port } = configured.listen;
  const server = await given.listen(root.fetch, {
    host,
    port,
    cache,
    knowsHost: hostRule(configured),
    onUserAgent: readers.note,
    ...{ clock, pace },
    onRefused: (status) => state.refused?.(status),
  });
  state.stopAccepting = () => server.stopAccepting();
  const config = listeningOn(configured, server.port);
  const fetch = given.fetch(fetchOptions(config, given));
  const vocabulary = createVocabulary(config.vocabulary);
  const eventLines = new EventLines({ clock, maxLines: config.limits.eventLines });
  const listScopes = new ListScopes(() => openIn(state).catalog);
  const parts = {
    ...{
      config,
      vocabulary,
      fetch,
      cache,
      store,
      state,
      audit,
      clock,
      random,
      pace,
      log,
      pool,
      openRecords,
      processMetrics,
    },
    readers: () => readers.list(),
    ...{ eventLines, listScopes },
  };
  const { metrics, connection } = mountServices(root, parts);
  state.refused = metrics.refused;
  // Closed after the server, so that requests in flight are finished.
  await unwinding.defer('the connection service', () => connection?.close());
  await unwinding.defer('the HTTP server', () => server.close());
  // Before the server, which waits for the end of what it sends.
  await unwinding.defer('the lines of events', async () => eventLines.close());
  await unwinding.defer('the outgoing connections', () => fetch.close());

  log.info({ url: config.baseUrl, version: VERSION }, 'loading');
  await connection?.start();
  const opened = { version: VERSION, vocabulary, clock, random, pace, log };
  const { registry, catalog, pins } = await openRegistry(store, config, opened);
  state.open = { registry, catalog, pins };
  const tell = stateTeller(eventLines, listScopes);
  const show = (shown: State) => {
    state.shown = shown;
    tell(shown).catch((error) =>
      log.warn({ error: explain(error) }, 'readers could not be told of a change'),
    );
  };
  show(await catalog.state());
  catalog.watch(show);
  if (config.mode === 'registry') {
    const samples = new Samples({ config, vocabulary, registry, packageFolder: PACKAGE_FOLDER });
    await samples.open(demo);
    state.samples = samples;
  }
  const pinner =
    config.pins === 'off'
      ? undefined
      : new Pinner({
          ...{ scope: config.pins, catalog, pins, fetch, clock, pace, log },
          times: given.pinningTimes,
        });
  state.pinner = pinner;
  const sync = createSynchronisation({
    ...{ config, registry, catalog, fetch, pool, vocabulary, clock, random, pace, log },
    shared: store.shared,
    timetable: given.timetable(config.sync.schedule),
    onPoll: metrics.polled,
    audit,
  });
  await unwinding.defer('polls', () => sync.stop());
  state.sync = sync;
  await sync.start(() => {
    if (state.health === 'loading') state.health = 'serving';
  });
  await unwinding.defer('the fetches of modules', async () => pinner?.stop());
  pinner?.start();
  // Programs that wait for this line find answers, not a node that is still loading.
  const { components } = await catalog.state();
  log.info({ url: config.baseUrl, version: VERSION, components }, 'listening');
  // Neither before the first answers, which it would delay, nor at some later moment at which readers would wait for it.
  await fetch.open();
  return { url: config.baseUrl, components };
}
