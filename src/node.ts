import './lib/synchronous-jsx.js';
import { createVocabulary } from './component/vocabulary.js';
import { type Config, privatePodsIn } from './config.js';
import { openConnectionService } from './connection/app.js';
import { auditIn } from './http/access/audit.js';
import { EventStreams } from './http/feed/event-streams.js';
import { PollHistory } from './http/operations/poll-history.js';
import { explain } from './lib/faults.js';
import { VERSION } from './lib/version.js';
import { type NodeOptions, openData } from './node/data.js';
import { openFront } from './node/front.js';
import { fetchOptions, type Given, production } from './node/given.js';
import { createNodeApp } from './node/services.js';
import { Unwinding } from './node/unwinding.js';
import { nodeView } from './pages/shell/page-answer.js';
import { Pinner } from './sync/pinning/pinner.js';
import { createSynchronisation } from './sync/synchronisation.js';

/** A node that answers: its public URL, and how many components it holds. */
export interface Started {
  readonly url: string;
  readonly components: number;
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
export function createNode(config: Config, overrides: Partial<Given> = {}, options: NodeOptions = {}): Node {
  const given: Given = { ...production(config), ...overrides };
  const unwinding = new Unwinding();
  const stopping = new AbortController();
  return {
    async start() {
      try {
        return await start(config, given, options, { unwinding, stopping: stopping.signal });
      } catch (error) {
        await unwinding
          .unwind()
          .catch((left) =>
            given.log.warn({ error: explain(left) }, 'not everything that was begun has ended'),
          );
        throw error;
      }
    },
    async stop() {
      stopping.abort();
      await unwinding.unwind();
    },
  };
}

/** The data is opened first, so that a directory in use is noticed before a port is; then loaded while 503 is answered. */
async function start(
  configured: Config,
  given: Given,
  options: NodeOptions,
  { unwinding, stopping }: { unwinding: Unwinding; stopping: AbortSignal },
): Promise<Started> {
  const { clock, random, pace, log, pinningTimes: times } = given;
  const pool = given.pool(configured.sync);
  await unwinding.defer('the workers that parse', () => pool.close());
  const place = await given.openPlace(configured.dataDir, { pace, log, stopping });
  await unwinding.defer('the store', () => place.close());
  // Closed after the server, so that requests in flight are finished.
  const closeConnection = unwinding.reserve('the connection service');
  const closeRegistry = unwinding.reserve('the registry');
  const eventStreams = new EventStreams({ clock, most: configured.limits.eventLines });
  const front = await openFront(configured, given, { pool, eventStreams, stopping, unwinding });
  const { config, metrics, name } = front;
  const audit = auditIn(log, name);
  // Before the server, which waits for the end of what it sends.
  await unwinding.defer('the streams of hints', async () => eventStreams.close());
  const fetch = given.fetch(fetchOptions(config));
  await unwinding.defer('the outgoing connections', () => fetch.close());

  log.info({ url: config.baseUrl, node: name, version: VERSION }, 'loading');
  const vocabulary = createVocabulary(config.vocabulary);
  const shared = { config, vocabulary, fetch, pool, clock, random, pace, log };
  const health = () => (stopping.aborted ? 'stopping' : 'serving');
  const connection = config.connection.enabled
    ? await openConnectionService({
        ...shared,
        keep: await place.keep('connection'),
        isShared: place.isShared,
        node: () => ({ ...nodeView({ config, version: VERSION }), health: health() }),
        routeMetrics: metrics.routeMetrics,
      })
    : undefined;
  if (connection) await closeConnection(() => connection.close());
  const data = await openData(place, { ...shared, ...options, front, eventStreams, closing: closeRegistry });
  const { registry, catalog, precedence, pins, polls } = data.open;
  for (const source of privatePodsIn(config))
    log.info({ source }, 'what this private pod describes becomes public on this node');
  const pinner =
    config.pins === 'off'
      ? undefined
      : new Pinner({ ...shared, scope: config.pins, catalog, pins, times, onHealth: front.modulesMoved });
  const timetable = given.timetable(config.sync.schedule);
  const history = new PollHistory({ clock, log, metrics });
  const polling = { registry, catalog, precedence, shared: polls, onPoll: history.polled, timetable };
  const sync = await createSynchronisation({ ...shared, ...polling });
  await unwinding.defer('polls', () => sync.stop());
  const services = { ...data, front, sync, history, pinner, connection, eventStreams, health, audit };
  await sync.start(() => front.serve(createNodeApp({ ...shared, ...services })));
  await unwinding.defer('the fetches of modules', async () => pinner?.stop());
  pinner?.start();
  // Programs that wait for this line find answers, not a node that is still loading.
  const { components } = await catalog.state();
  log.info({ url: config.baseUrl, node: name, version: VERSION, components }, 'listening');
  return { url: config.baseUrl, components };
}
